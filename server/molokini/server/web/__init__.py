"""The faces over HTTP: a gateway of the same services, roles and names in JSON. It alone imports aiohttp."""
