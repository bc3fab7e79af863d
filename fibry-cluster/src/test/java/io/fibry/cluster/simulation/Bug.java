package io.fibry.cluster.simulation;

import java.util.Deque;
import java.util.Set;

/** Mistakes that can be planted beside the members, so that each checker is seen to fail. */
enum Bug {
    NONE("calm"),
    /** A message is put into its mailbox twice. */
    HANDLES_TWICE("calm", Fault.HANDLED_TWICE),
    /** A message that was taken is forgotten. */
    LOSES("calm", Fault.NOT_HANDLED),
    /** Messages overtake one another in a mailbox. */
    OVERTAKES("calm", Fault.OUT_OF_ORDER),
    /** Actors are said to have ended while they are at work. */
    DRAINS_EARLY("calm", Fault.TWO_ACTORS, Fault.OPENED_TOO_EARLY),
    /** Actors go on when their node is cut off. */
    GOES_ON("cuts", Fault.BEGUN_WITHOUT_MAJORITY),
    /** A node takes each term of a slice for the first one that it had. */
    KEEPS_ITS_FIRST_TERM("calm", Fault.OLD_TERM),
    /** A message comes to the actors again later, past the member. */
    DELIVERS_AGAIN("calm", Fault.NOT_HOME),
    /** What an actor has taken is refused. */
    REFUSES_WHAT_IT_TAKES("calm", Fault.HANDLED_THOUGH_REFUSED),
    /** The senders are not told what is uncertain. */
    FORGETS_UNCERTAIN("kills", Fault.FATES),
    /** The senders are told that what was taken is uncertain. */
    TELLS_UNCERTAIN("calm", Fault.UNCERTAIN_WITHOUT_LOSS),
    /** The member does not learn that an ask may be repeated. */
    REPEATS_NOTHING("repeats", Fault.NOT_REPEATED),
    /** What an actor writes is lost now and then. */
    FORGETS_WRITES("calm", Fault.ONE_VALUE_FOR_TWO),
    /** What an actor has written is undone now and then. */
    UNDOES_WRITES("calm", Fault.STALE_VALUE),
    /** Some answers are not given. */
    FORGETS_ANSWERS("repeats", Fault.NOT_ANSWERED_IN_TIME),
    /** The same where it should be easy to give them. */
    FORGETS_ANSWERS_IN_CALM("calm", Fault.NOT_DONE_IN_CALM, Fault.NEVER_ENDS),
    /** An answer is given twice. */
    ANSWERS_TWICE("calm", Fault.ANSWERED_TWICE),
    /** Frames are cut off now and then. */
    TEARS_FRAMES("calm", Fault.BAD_FRAME),
    /** The member takes the group of a singleton for one with keys, of one slice. */
    DIVIDES_THE_SINGLETON("singletonInCalm", Fault.SINGLETON_MOVED),
    /** A node that was cut off is not told that it sees the majority again. */
    STAYS_OUT("cuts", Fault.NOT_SERVING_AT_THE_END),
    /** Turns begin on a node that does not know yet that its lease is over. */
    GATE_IS_OFF("leases", Fault.BEGUN_LATE),
    /** A node serves for longer than its lease. */
    LEASE_OVERRUNS("leases", Fault.LEASE_OF_A_REMOVED_NODE),
    /** The tables refuse all changes of one slice. */
    REFUSES_A_SLICE("calm", Fault.NO_HOME_AT_THE_END);

    /** The scenario that shows the mistake. */
    final String scenario;
    /** What the checkers say about it, maybe among other things. */
    final Set<Fault> faults;

    Bug(String scenario, Fault... faults) {
        this.scenario = scenario;
        this.faults = Set.of(faults);
    }

    boolean forgetsAnswers() {
        return this == FORGETS_ANSWERS || this == FORGETS_ANSWERS_IN_CALM;
    }

    <T> void put(Deque<T> mailbox, T message) {
        switch (this) {
            case HANDLES_TWICE -> {
                mailbox.add(message);
                mailbox.add(message);
            }
            case LOSES -> {
                if (message.hashCode() % 7 != 0) {
                    mailbox.add(message);
                }
            }
            case OVERTAKES -> mailbox.addFirst(message);
            default -> mailbox.add(message);
        }
    }
}
