"""Maui's whole configuration as one typed value; ``maui.cfg`` and our TOML are two spellings of it."""

from pydantic import Field

from molokini.maui.fields import Label, Section
from molokini.maui.sections.backfill import Backfill
from molokini.maui.sections.credentials import (
    AccountCredential,
    ClassCredential,
    Credential,
    GroupCredential,
    Qos,
)
from molokini.maui.sections.daemon import Daemon
from molokini.maui.sections.fairshare import Fairshare
from molokini.maui.sections.managers import Bank, Peer, ResourceManager
from molokini.maui.sections.nodes import Node, Nodes, NodeSets
from molokini.maui.sections.preemption import Preemption
from molokini.maui.sections.priority import Priority
from molokini.maui.sections.reservation_parameters import Reservations
from molokini.maui.sections.scheduling import Scheduling
from molokini.maui.sections.simulation import Simulation
from molokini.maui.sections.standing import StandingReservation

DEFAULT = "DEFAULT"
"""The id of an object that speaks for those of its type that say nothing themselves."""


class MauiConfig(Section):
    """Everything that ``maui.cfg`` says; what it does not say has the guide's default.

    Objects (users, classes, standing reservations, ...) are by id; DEFAULT speaks for those of its type.
    """

    scheduling: Scheduling = Field(default_factory=Scheduling)
    backfill: Backfill = Field(default_factory=Backfill)
    reservations: Reservations = Field(default_factory=Reservations)
    priority: Priority = Field(default_factory=Priority)
    fairshare: Fairshare = Field(default_factory=Fairshare)
    nodes: Nodes = Field(default_factory=Nodes)
    node_sets: NodeSets = Field(default_factory=NodeSets)
    preemption: Preemption = Field(default_factory=Preemption)
    simulation: Simulation = Field(default_factory=Simulation)
    daemon: Daemon = Field(default_factory=Daemon)
    system: Credential = Field(default_factory=Credential)
    users: dict[Label, Credential] = Field(default_factory=dict)
    groups: dict[Label, GroupCredential] = Field(default_factory=dict)
    accounts: dict[Label, AccountCredential] = Field(default_factory=dict)
    classes: dict[Label, ClassCredential] = Field(default_factory=dict)
    qos: dict[Label, Qos] = Field(default_factory=dict)
    standing: dict[Label, StandingReservation] = Field(default_factory=dict)
    node: dict[Label, Node] = Field(default_factory=dict)
    resource_managers: dict[Label, ResourceManager] = Field(default_factory=dict)
    banks: dict[Label, Bank] = Field(default_factory=dict)
    peers: dict[Label, Peer] = Field(default_factory=dict)


OBJECTS = {
    "USERCFG": ("users", "a user"),
    "GROUPCFG": ("groups", "a group"),
    "ACCOUNTCFG": ("accounts", "an account"),
    "CLASSCFG": ("classes", "a class (queue)"),
    "QOSCFG": ("qos", "a quality of service"),
    "SYSCFG": ("system", "the whole system"),
    "SRCFG": ("standing", "a standing reservation"),
    "NODECFG": ("node", "a node"),
    "RMCFG": ("resource_managers", "a resource manager"),
    "AMCFG": ("banks", "an allocation manager"),
    "CLIENTCFG": ("peers", "a peer"),
}
"""The object parameters of ``maui.cfg``: where their objects are in ``MauiConfig``, and what one is."""
