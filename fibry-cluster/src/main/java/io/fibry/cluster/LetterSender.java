package io.fibry.cluster;

import io.fibry.AskCycleException;
import io.fibry.cluster.home.Fate;
import java.util.UUID;

/** The sender of letters to other nodes. The actor of the member tells it the fates of its letters; no method waits. */
sealed interface LetterSender permits GroupSender, TopicSender {
    /** The name of the group. */
    String name();

    /** Returns what messages are sent to, for people. Called by any thread. */
    default String title() {
        return switch (this) {
            case GroupSender<?, ?, ?> group -> "the group '" + name() + "'";
            case TopicSender topic -> "the topic '" + name() + "'";
        };
    }

    /** A message goes to a node. */
    void dispatched(Outgoing outgoing, UUID node);

    /** A message is in a mailbox, or will never be. Called once or a few times. */
    void arrived(Outgoing outgoing);

    /** The fate of a message is known, but for asks that were taken. */
    void told(Outgoing outgoing, Fate fate);

    /** The answer has come, or the fate that was wanted. */
    void answered(Outgoing outgoing, byte[] bytes);

    /** Fails an ask for which an actor would wait for ever. The home is told that it was given up. */
    void refuse(Outgoing outgoing, AskCycleException cycle);
}
