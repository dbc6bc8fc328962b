"""How long a placed job takes: closed forms, which depend on no other room but the model."""
