"""Looking ahead from present tables under several policies, with estimates alone; and choosing among them."""
