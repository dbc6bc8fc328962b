"""``simulate --serve`` and ``compare --serve``: one document on a loopback address, until it is stopped."""

import ipaddress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


def host_page(text: str) -> None:
    """Serve the document *text* on a free port of this machine, say where, and go on until Ctrl-C."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(text.encode("utf-8"))) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def handler_of(body: bytes) -> type[BaseHTTPRequestHandler]:
    """What answers every request for ``/`` with *body*, and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not _is_here(self.headers.get("Host", "")):
                # A name that was pointed here by another site.
                self.send_error(HTTPStatus.FORBIDDEN)
            elif urlsplit(self.path).path != "/":
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Content-Type-Options", "nosniff")
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: the terminal is the command's."""

    return Handler


def _is_here(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
