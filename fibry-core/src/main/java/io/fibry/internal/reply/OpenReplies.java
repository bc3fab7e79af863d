package io.fibry.internal.reply;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The replies that an actor has deferred and that are not over. The turn adds them, and any thread removes them. An
 * actor that has never deferred a reply has no such object.
 */
public final class OpenReplies extends Feature {
    private final Cell cell;
    private final Set<OpenReply> open = ConcurrentHashMap.newKeySet();

    private OpenReplies(Cell cell) {
        this.cell = cell;
    }

    /** Returns those of an actor, whose turn calls. */
    static OpenReplies of(Cell cell) {
        var extended = cell.extendedState();
        var made = extended.feature(OpenReplies.class);
        return made == null ? extended.addIfAbsent(OpenReplies.class, new OpenReplies(cell)) : made;
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

    @Override
    public boolean owes() {
        return !open.isEmpty();
    }

    /** Fails all replies. No reply is added any more. */
    @Override
    public void stopping() {
        loseAll(new ActorStoppedException("actor '" + cell.name() + "' stopped (" + cell.stopReason()
                + ") before its deferred reply was completed; complete deferred replies before the actor stops, or let its"
                + " last message do so"));
    }

    /** Fails all replies. */
    @Override
    public void restarting(Throwable cause) {
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
