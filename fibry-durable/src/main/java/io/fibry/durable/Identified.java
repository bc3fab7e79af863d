package io.fibry.durable;

/**
 * A message that has an id, so that it can be sent again. A durable actor handles a message with the same id once; when it
 * comes again, it gets the first answer. Ids are kept for an hour, unless {@link Durable#ids} says otherwise, however many
 * there are.
 *
 * <p>A message keeps its id when it goes through an outbox or waits as a reminder, unless the reminder is repeated: each time
 * is a message of its own. An outbox also gives each message an id of its own, so such a message need not have this type.
 */
@FunctionalInterface
public interface Identified {
    /** {@return the id, which is unique among the messages of a key} It has at most 2,048 characters; an empty one is none. */
    String messageId();
}
