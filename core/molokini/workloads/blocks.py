"""Whole lines out of a plain or gzip file, in blocks of bounded size.

Everything that a hostile or broken file can do to memory ends here: a line may be a gigabyte long
and a gzip may expand a thousandfold, yet no more than a few megabytes are ever held.
"""

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from molokini.model.errors import BadFile

BLOCK_BYTES = 1 << 20
"""Bytes asked for at a time: small enough for the caches, large enough for whole-array work."""

LINE_BYTES = 1 << 16
"""Longest line that is read as a line; what is beyond it is thrown away while reading."""

TOTAL_BYTES = 1 << 30
"""Most text that one file may hold, decompressed: some eleven million jobs."""

EXPANSION = 100
"""How many times larger than its gzip a text may be. Logs reach 10, repetitive ones 30."""

EXPANSION_FROM_BYTES = 1 << 24
"""Text below this size may expand as it likes; it does no harm."""

GZIP_MAGIC = b"\x1f\x8b"
MOST_PACKINGS = 3
"""A gzip of a gzip is read, and no deeper one than this."""
_OTHER_PACKERS = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"(\xb5/\xfd": "zstd", b"PK\x03\x04": "zip"}
_WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
BYTE_ORDER_MARK = codecs.BOM_UTF8


def blocks(path: Path, longest: int = LINE_BYTES) -> Iterator[bytes]:
    """The file's text as blocks of whole lines, each ending with a newline.

    Gzip is known by its first bytes, whatever the name, and UTF-16 by its byte order mark. A line of more
    than *longest* bytes arrives cut to ``longest + 1`` or longer, so that its reader can tell. Raises
    ``BadFile`` for everything that the file system, the compression or the encoding can have against it.
    """
    with _opened(path) as (stream, raw, packed):
        rest = b""
        total = 0
        recode: Callable[[bytes], bytes] | None = None
        while chunk := stream.read(BLOCK_BYTES):
            if total == 0:
                recode = _recoding(path, chunk)
            if recode is not None:
                chunk = recode(chunk)
            if total == 0:
                chunk = chunk.removeprefix(BYTE_ORDER_MARK) or b"\n"
            total += len(chunk)
            _refuse_excess(path, total, raw.tell() if packed else None)
            cut = chunk.rfind(b"\n") + 1
            if cut:
                # A line already too long lost its middle; only its length still matters.
                yield rest + chunk[:cut]
                rest = chunk[cut:]
            else:
                rest += chunk
            rest = rest[: longest + 1]
        if total == 0:
            raise BadFile(str(path), "the file is empty")
        if rest:
            yield rest + b"\n"


def _recoding(path: Path, first: bytes) -> Callable[[bytes], bytes] | None:
    """What makes UTF-8 of the text that begins with *first*, chunk by chunk; None where it needs none."""
    for magic, packer in _OTHER_PACKERS.items():
        if first.startswith(magic):
            raise BadFile(str(path), f"is packed by {packer}; unpack it, or pack it with gzip")
    name = _WIDE.get(first[:2])
    if name is None:
        if len(first) > 3 and first[1:4:2] == b"\x00\x00" and 0 not in first[0:4:2]:
            raise BadFile(str(path), _UNMARKED.format("LE"))
        if len(first) > 3 and first[0:4:2] == b"\x00\x00" and 0 not in first[1:4:2]:
            raise BadFile(str(path), _UNMARKED.format("BE"))
        return None
    decoder = codecs.getincrementaldecoder(name)("replace")
    return lambda chunk: decoder.decode(chunk).encode("utf-8", "replace")


_UNMARKED = "looks like UTF-16 without a byte order mark; convert it: iconv -f UTF-16{} -t UTF-8"


def _refuse_excess(path: Path, total: int, packed: int | None) -> None:
    if total > TOTAL_BYTES:
        raise BadFile(str(path), f"holds more than {TOTAL_BYTES:,} bytes of text; split it")
    if packed is not None and total > EXPANSION_FROM_BYTES and total > EXPANSION * packed:
        raise BadFile(str(path), f"expands more than {EXPANSION} times; that is not a workload log")


def _unpacked(path: Path, raw: IO[bytes]) -> IO[bytes]:
    """The text in a gzip, which may be one of a gzip."""
    stream = gzip.GzipFile(fileobj=raw)
    for _ in range(1, MOST_PACKINGS):
        if stream.peek(2)[:2] != GZIP_MAGIC:
            return cast(IO[bytes], stream)
        stream = gzip.GzipFile(fileobj=stream, mode="rb")
    if stream.peek(2)[:2] == GZIP_MAGIC:
        raise BadFile(str(path), f"is packed more than {MOST_PACKINGS} times; unpack it with gunzip")
    return cast(IO[bytes], stream)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes], bool]]:
    """The text stream, the file below it, and whether it is compressed; errors become BadFile."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == GZIP_MAGIC
            if packed:
                yield _unpacked(path, raw), raw, True
            elif path.suffix == ".gz" and raw.peek(1):
                raise BadFile(str(path), "is named .gz but is not a gzip file")
            else:
                yield raw, raw, False
    except EOFError:
        raise BadFile(str(path), "the gzip is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadFile(str(path), f"the gzip is damaged: {error}") from None
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    except ValueError as error:  # a NUL in the name
        raise BadFile(str(path), str(error)) from None
