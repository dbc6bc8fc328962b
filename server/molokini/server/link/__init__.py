"""The agent link: the conversation with every node agent."""
