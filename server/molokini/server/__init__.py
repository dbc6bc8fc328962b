"""The asyncio resource manager."""
