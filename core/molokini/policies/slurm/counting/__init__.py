"""What associations and QOSes have, and have used."""
