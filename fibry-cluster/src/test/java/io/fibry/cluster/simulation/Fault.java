package io.fibry.cluster.simulation;

/** What the checkers of a run can find. Each is shown to be found, by a {@link Bug}. */
enum Fault {
    HANDLED_TWICE("handled twice"), //
    BEGUN_WITHOUT_MAJORITY("begun on a node that knows that it does not see the majority"), //
    TWO_ACTORS("two actors of one key at a time"), //
    OLD_TERM("an actor of a term that is over"), //
    OUT_OF_ORDER("handled after what was sent later"), //
    NOT_REPEATED("not repeated, though its sender serves and waits"), //
    FATES("fates do not add up"), //
    NEVER_ENDS("an ask that never ends"), //
    NOT_ANSWERED_IN_TIME("repeatable and not answered in time, though its sender has served"), //
    ANSWERED_TWICE("answered twice"), //
    NOT_HANDLED("taken and not handled"), //
    HANDLED_THOUGH_REFUSED("handled, though its sender was told that it was not"), //
    UNCERTAIN_WITHOUT_LOSS("uncertain, though its node was not lost"), //
    NOT_DONE_IN_CALM("not handled or not answered, though no node was lost"), //
    ONE_VALUE_FOR_TWO("one value for two asks"), //
    STALE_VALUE("a value that an ask after it should have"), //
    BAD_FRAME("bytes of a node that are no frames"), //
    NOT_HOME("delivered on a node that is not the home"), //
    OPENED_TOO_EARLY("a slice opens on a node that still has actors of it"), //
    SINGLETON_MOVED("the singleton has moved from a node that neither leaves nor was lost"), //
    NOT_SERVING_AT_THE_END("a node does not serve at the end"), //
    BEGUN_LATE("begun on a node that others have removed"), //
    LEASE_OF_A_REMOVED_NODE("a node is removed that has a lease"), //
    NO_HOME_AT_THE_END("a slice has no home at the end");

    private final String text;

    Fault(String text) {
        this.text = text;
    }

    /** Whether this was found in a run. */
    boolean isIn(Iterable<String> found) {
        for (var each : found) {
            if (each.startsWith(text + ": ")) {
                return true;
            }
        }
        return false;
    }

    String of(Object what) {
        return text + ": " + what;
    }
}
