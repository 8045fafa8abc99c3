"""One module for one kind of address; each has ROUTES. They ask the API, and know no database."""
