"""The command ``mesonet``: `main.main` is its entry. May import everything; nothing imports it."""
