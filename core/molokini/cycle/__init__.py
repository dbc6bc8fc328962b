"""One pass: its beginning and end, the verbs of policies, which decisions are legal, and what they change."""
