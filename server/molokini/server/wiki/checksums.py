"""Checksums of messages, by which two ends that share a key know each other.

What is called DES is none: a CRC of the message and the key go through four rounds of mixing (Slurm's wiki
plugins and Maui; values checked against theirs).
"""

import base64
import binascii
import hashlib
import hmac

from molokini.model.errors import BadValue

ALGORITHMS = ("DES", "HMAC", "HMAC64", "MD5", "NONE")
_A = (0xCBA4E531, 0x537158EB, 0x145CDC3C, 0x0D3FDEB2)
_B = (0x12BE4590, 0xAB54CE58, 0x6954C7A6, 0x15A2CA46)
_WORD, _HALF = 0xFFFFFFFF, 0xFFFF


def checksum(algorithm: str, key: str, body: bytes) -> str:
    """The checksum of *body*, from ``TS=`` to its end. BadValue for a key that the algorithm cannot take."""
    if algorithm == "DES":
        return _mixed(binascii.crc_hqx(body, 0), number_of(key))
    if algorithm == "HMAC":
        return hmac.new(key.encode(), body, hashlib.sha1).hexdigest()
    if algorithm == "HMAC64":
        digest = hmac.new(key.encode(), hashlib.sha1(body).digest(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()
    if algorithm == "MD5":
        return hashlib.md5(body + key.encode()).hexdigest()
    return ""


def agrees(algorithm: str, key: str, body: bytes, shown: str) -> bool:
    """Whether *shown* is the checksum of *body*; the time that it takes tells nothing."""
    # As bytes: of texts only those of ASCII can be compared so, and what is shown may be anything.
    right = checksum(algorithm, key, body).encode()
    return algorithm == "NONE" or hmac.compare_digest(right, shown.encode())


def number_of(key: str) -> int:
    """A key of DES as C reads numbers: decimal, 0x and hexadecimal, 0 and octal; 32 bits without a sign."""
    try:
        if key.lower().startswith("0x"):
            value = int(key, 16)
        elif key.startswith("0") and len(key) > 1:
            value = int(key, 8)
        else:
            value = int(key, 10)
    except ValueError:
        raise BadValue("wiki.key", "(not shown)", "a number, for the checksum DES") from None
    return value & _WORD


def _mixed(left: int, right: int) -> str:
    for a, b in zip(_A, _B, strict=True):
        x = right ^ a
        low, high = x & _HALF, x >> 16
        y = (low * low + (~(high * high) & _WORD)) & _WORD
        z = (y >> 16) | ((y & _HALF) << 16)
        left, right = right, left ^ (((z ^ b) + low * high) & _WORD)
    return f"{left:08x}{right:08x}"
