"""Priority reservations."""

from typing import Annotated

from molokini.maui.fields import Count, Label, Labels, Real, Seconds, Section, parameter
from molokini.maui.kinds import Choice, Word
from molokini.policies.maui.configuration.words import ReservationPolicy, Threshold


class Control(Word):
    """Who may make reservations."""

    ADMINONLY = "ADMINONLY"
    ANY = "ANY"


class Reservations(Section):
    """Which blocked jobs have a time reserved at which they will start."""

    policy: Annotated[ReservationPolicy, Choice(ReservationPolicy)] = parameter(
        "RESERVATIONPOLICY",
        ReservationPolicy.CURRENT_HIGHEST,
        "Which waiting jobs hold reservations: those now first, those that ever had one (HIGHEST), or none.",
    )
    depth: dict[Label, Count] = parameter(
        "RESERVATIONDEPTH",
        {},
        "How many jobs of bucket i have reservations at a time: 1 is liberal, many is conservative.",
        array=True,
    )
    qos: dict[Label, Labels] = parameter(
        "RESERVATIONQOSLIST",
        {},
        "The QOSes whose jobs count in bucket i; the first bucket that has a job's QOS counts, ALL has each.",
        array=True,
    )
    threshold: Annotated[Threshold, Choice(Threshold)] = parameter(
        "RESERVATIONTHRESHOLDTYPE", Threshold.NONE, "What a job must exceed before it gets a reservation."
    )
    threshold_value: Real = parameter(
        "RESERVATIONTHRESHOLDVALUE",
        0.0,
        "The threshold: a bypass count, seconds of queue time, or an expansion factor.",
    )
    retry_time_s: Seconds = parameter(
        "RESERVATIONRETRYTIME",
        0,
        "How long the reservation of a job whose start fails is kept.",
        without="a start that was decided does not fail in simulation, and a server requeues the job",
    )
    most_per_node: Count = parameter(
        "RESDEPTH", 24, "The most reservations that one node can hold.", without="there is no such bound"
    )
    control: Control = parameter(
        "RESCTLPOLICY",
        Control.ADMINONLY,
        "Who may make reservations.",
        without="the server's roles say who may do what",
    )
