package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.UUID;

/** What became of a letter, as its sender knows it. Only an ask may have two: first taken, and later uncertain. */
public sealed interface Fate {
    /** It is in a mailbox of a node. */
    record Taken(UUID node) implements Fate {
    }

    /** A node has refused it. No handler has seen it. */
    record Refused(UUID node, Verdict why) implements Fate {
    }

    /** It was on its way to a node that was lost, or its answer was. */
    record Uncertain(UUID node) implements Fate {
    }

    /** This node sees no majority, and no handler has seen it. A repeated ask that may have been handled is uncertain. */
    record NotServed() implements Fate {
    }

    /** Its time was over, or it was withdrawn, before it was sent or repeated. If it was never sent, no handler has seen it. */
    record Expired() implements Fate {
    }
}
