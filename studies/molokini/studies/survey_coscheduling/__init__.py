"""A survey of coscheduling and its proposal: tickets beside implicit, dynamic and explicit schemes."""
