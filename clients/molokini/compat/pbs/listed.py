"""Lists with commas and quotes: ``-v A=b,C='d,e'`` and ``-W name=value,...``."""

from __future__ import annotations


def parts_of(text: str) -> list[str]:
    r"""The parts of *text* between commas; quotes and ``\,`` keep one in a part.

    ValueError for a quotation that does not end.
    """
    found, part, quote, k = [], "", "", 0
    while k < len(text):
        letter = text[k]
        k += 1
        if quote:
            if letter == quote:
                quote = ""
            else:
                part += letter
        elif letter in "'\"":
            quote = letter
        elif letter == "\\" and text[k : k + 1] in (",", "\\", "'", '"'):
            part += text[k]
            k += 1
        elif letter == ",":
            found.append(part)
            part = ""
        else:
            part += letter
    if quote:
        raise ValueError(f"a quotation that does not end: {text[:60]}")
    return [*found, part]
