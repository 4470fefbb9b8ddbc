"""Files that users name: places, tables, locks, safe names; and the cache. Imports the ground (errors) only."""
