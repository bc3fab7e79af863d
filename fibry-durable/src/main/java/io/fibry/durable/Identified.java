package io.fibry.durable;

/**
 * A message that has an id, so that it can be sent again. A durable actor handles a message with the same id once; when it
 * comes again, it gets the first answer. Ids are kept for an hour, unless {@link Durable#ids} says otherwise. A message of
 * an outbox or a reminder has an id anyway.
 */
@FunctionalInterface
public interface Identified {
    /**
     * Returns the id, which is unique among the messages of a key.
     *
     * @return the id
     */
    String messageId();
}
