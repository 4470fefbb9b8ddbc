"""Files that users name: places to write, tables to read, locks, safe names. Imports the ground (errors) only."""
