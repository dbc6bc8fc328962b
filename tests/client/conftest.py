from tests.kit.connected import client as client
from tests.kit.connected import molokini as molokini
from tests.kit.connected import nothing_from_outside as nothing_from_outside
from tests.kit.connected import server as server
