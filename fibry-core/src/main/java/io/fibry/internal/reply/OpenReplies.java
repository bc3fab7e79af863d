package io.fibry.internal.reply;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The replies that an actor has deferred and that are not over. The turn adds them, and any thread removes them. An
 * actor that has never deferred a reply has no such object. Most actors have one open reply at a time, for which they need no
 * set.
 */
public final class OpenReplies extends Feature {
    private static final VarHandle ONE = FieldAccess.of(MethodHandles.lookup(), "one", OpenReply.class);

    private final Cell cell;
    /** One of the replies. Set by the turn if it is null, and set to null, by CAS, by a thread that closes that reply. */
    private volatile @Nullable OpenReply one;
    /** The others; null if there never were any. Written by the turn. */
    private volatile @Nullable Set<OpenReply> others;

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
        if (one == null) {
            one = reply;
        } else {
            if (others == null) {
                others = ConcurrentHashMap.newKeySet();
            }
            others.add(reply);
        }
    }

    private Set<OpenReply> others() {
        var set = others;
        return set == null ? Collections.emptySet() : set;
    }

    /** Returns whether the reply is listed. */
    boolean has(OpenReply reply) {
        return one == reply || others().contains(reply);
    }

    void remove(OpenReply reply) {
        if (!ONE.compareAndSet(this, reply, null)) { // two threads may close a reply, and the next one be there already
            others().remove(reply);
        }
    }

    /** Returns how many replies are open. Called by any thread. */
    public int size() {
        return (one == null ? 0 : 1) + others().size();
    }

    @Override
    public boolean owes() {
        return size() > 0;
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
        var all = new ArrayList<>(others());
        var first = one;
        if (first != null) {
            all.add(first);
        }
        for (var each : all) {
            // mutant: deferred-reply-outlives-its-actor
            each.lose(why);
        }
    }
}
