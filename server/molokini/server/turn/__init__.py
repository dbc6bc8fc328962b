"""One turn of the server: check, commit, apply, answer; pass, commit, apply, send."""
