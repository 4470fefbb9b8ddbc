"""The command ``mesonet``: `entry_point.main` starts it. May import everything; nothing imports it."""
