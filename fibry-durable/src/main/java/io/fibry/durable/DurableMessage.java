package io.fibry.durable;

import io.fibry.durable.Journal.Reminder;
import java.util.Optional;

/**
 * A message that a durable actor gets from an outbox or a reminder.
 *
 * @param id the id of the message
 * @param message the message
 * @param fired the reminder, if it is one
 */
record DurableMessage(String id, Object message, Optional<Reminder> fired) {
}
