package io.fibry.cluster.simulation;

import java.util.Deque;

/** Mistakes that can be planted beside the members, so that each checker is seen to fail. */
enum Bug {
    NONE,
    /** A message is put into its mailbox twice. */
    HANDLES_TWICE,
    /** A message that was taken is forgotten. */
    LOSES,
    /** Messages overtake one another in a mailbox. */
    OVERTAKES,
    /** Actors are said to have ended while they are at work. */
    DRAINS_EARLY,
    /** The senders are not told what is uncertain. */
    FORGETS_UNCERTAIN,
    /** What an actor writes is lost now and then. */
    FORGETS_WRITES,
    /** An answer is given twice. */
    ANSWERS_TWICE;

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
