package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.UUID;

/** What became of a letter, as its sender knows it. A letter meets one of these. An ask that was taken may become uncertain later. */
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

    /** This node does not see the majority. No handler has seen it. An ask that may have been handled before it was repeated is uncertain. */
    record NotServed() implements Fate {
    }

    /** Its time was over, or it was withdrawn, before it was sent, or before it was repeated. Before it was sent no handler has seen it. */
    record Expired() implements Fate {
    }
}
