"""Calls over HTTP to a gateway elsewhere: with the token that the environment names, and its authority."""

from __future__ import annotations

import http.client
import json
import os
import ssl
from urllib.parse import urlsplit

from molokini.compat._types import Any
from molokini.compat.failures import NoAnswer, NoServer
from molokini.compat.transport import CLUSTER_HEADER, asked_cluster, patiently, refused, timeout_s, token

AUTHORITY, CERTIFICATE, KEY = "MOLOKINI_TLS_CA", "MOLOKINI_TLS_CERT", "MOLOKINI_TLS_KEY"


class HttpTransport:
    """Calls to the gateway at *address*, ``http://HOST:PORT`` or ``https://HOST:PORT``. Raises NoServer."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if not parts.hostname or parts.path not in ("", "/"):
            raise NoServer(f"{address!r}: expected http://HOST:PORT or https://HOST:PORT")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        if token() and not self._secure and self._host not in ("127.0.0.1", "::1", "localhost"):
            raise NoServer(f"{address}: a token would travel to another machine in clear text; use https")
        self._address = address
        self._cluster = ""

    @property
    def cluster(self) -> str:
        """The name of the cluster: by an answer, or by a call for it."""
        return self._cluster or asked_cluster(self)

    def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
        """What the method answers. Raises Refused or NoAnswer."""
        asked = f"{service}/{method}"
        found: dict[str, Any] = patiently(lambda: self._once(asked, document), asked, document)
        return found

    def _once(self, asked: str, document: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        if shown := token():
            headers["Authorization"] = f"Bearer {shown}"
        connection = self._connection()
        try:
            connection.request("POST", f"/molokini.v1.{asked}", json.dumps(document).encode(), headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"{self._address}: {getattr(error, 'strerror', None) or error}") from None
        finally:
            connection.close()
        self._cluster = answer.headers.get(CLUSTER_HEADER, self._cluster)
        if answer.status != 200:
            raise refused(body, answer.status)
        return json.loads(body)

    def _connection(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout_s())
        try:
            context = ssl.create_default_context(cafile=os.environ.get(AUTHORITY) or None)
            if certificate := os.environ.get(CERTIFICATE):
                context.load_cert_chain(certificate, os.environ.get(KEY) or None)
        except OSError as error:
            raise NoServer(f"{AUTHORITY}, {CERTIFICATE} or {KEY}: {error.strerror or error}") from None
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout_s(), context=context)
