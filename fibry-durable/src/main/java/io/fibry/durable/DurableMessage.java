package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import java.util.Optional;

/**
 * A message that a durable actor gets from an outbox or a reminder.
 *
 * @param id the id of the message
 * @param message the message
 * @param fired the reminder, if it is one
 */
record DurableMessage(String id, Object message, Optional<Reminder> fired) {
    /** Returns the id of a message of an outbox: the turn, and the place of the message in it. */
    static String id(Sent turn, int place) {
        return turn.id().group() + "/" + turn.id().key() + "/" + turn.revision() + "/" + place;
    }

    /** Returns the turn whose outbox has sent this message. A key may have a slash, and the name of a group has none. */
    Sent sender() {
        int place = id.lastIndexOf('/');
        int revision = id.lastIndexOf('/', place - 1);
        int key = id.indexOf('/');
        return new Sent(new Id(id.substring(0, key), id.substring(key + 1, revision)),
                Long.parseLong(id, revision + 1, place, 10));
    }
}
