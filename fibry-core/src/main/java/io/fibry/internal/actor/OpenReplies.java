package io.fibry.internal.actor;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The replies that an actor has deferred and that are not over. The turn adds them, and any thread removes them. An
 * actor that has never deferred a reply has no such object.
 */
public final class OpenReplies {
    private final Set<OpenReply> open = ConcurrentHashMap.newKeySet();

    OpenReplies() {
    }

    void add(OpenReply reply) {
        open.add(reply);
    }

    /** Returns whether the reply is listed. */
    boolean has(OpenReply reply) {
        return open.contains(reply);
    }

    void remove(OpenReply reply) {
        open.remove(reply);
    }

    /** Returns how many replies are open. Called by any thread. */
    public int size() {
        return open.size();
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** Fails all replies, since the actor stops. Called by the thread that ends it; no reply is added any more. */
    void stopped(Cell cell) {
        loseAll(new ActorStoppedException("actor '" + cell.name() + "' stopped (" + cell.stopReason()
                + ") before its deferred reply was completed; complete deferred replies before the actor stops, or let its"
                + " last message do so"));
    }

    /** Fails all replies, since the actor is restarted. Called by the turn. */
    public void restarted(Cell cell, Throwable cause) {
        loseAll(new ActorException("actor '" + cell.name()
                + "' was restarted before its deferred reply was completed", cause));
    }

    private void loseAll(ActorException why) {
        for (var each : open) {
            // mutant: deferred-reply-outlives-its-actor
            each.lose(why);
        }
    }
}
