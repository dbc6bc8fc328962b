"""The local rules (``edf``) for compiled callers: the same functions, which Python callers get as they
are."""

from molokini.compiled.compilation import inner
from molokini.feedback import edf

slice_of = inner(edf.slice_of)
periods_over = inner(edf.periods_over)
goes_before = inner(edf.goes_before)
begins_anew = inner(edf.begins_anew)
has_missed = inner(edf.has_missed)
has_room = inner(edf.has_room)
