package io.fibry.internal.cycles;

import io.fibry.Actor;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.reply.OpenReply;
import io.fibry.internal.reply.ReplyHandle;
import io.fibry.message.DeferredReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The wait of an actor for an answer from outside of this process, and the waits of others for that actor, as far as they
 * are known. It is a path of edges of which each was there when a second look had been taken, as in the {@link WaitGraph}.
 */
public final class RemoteWait {
    /** Longer paths are not followed. */
    private static final int MAX_LENGTH = 1_000;

    /** The last one is the edge of the actor that waits for what is outside. */
    private final List<Waiting> edges;
    private final Cell waiter;

    private RemoteWait(List<Waiting> edges, Cell waiter) {
        this.edges = edges;
        this.waiter = waiter;
    }

    // ---- What stands behind an actor. ----

    /** Lets an actor stand for what is outside. Called before any other actor knows it. */
    public static void reportTo(RemoteWaits outside, Actor<?, ?> gateway) {
        ((Cell) (Object) gateway).extendedState().add(new Standing(outside));
    }

    private static final class Standing extends Feature {
        private final RemoteWaits outside;

        Standing(RemoteWaits outside) {
            this.outside = outside;
        }
    }

    private static @Nullable RemoteWaits behind(Cell cell) {
        var extended = cell.extendedStateIfAny();
        var standing = extended == null ? null : extended.feature(Standing.class);
        return standing == null ? null : standing.outside;
    }

    /** Notes which question of the outside a deferred reply answers. Called by the handler that has deferred it. */
    public static void answers(DeferredReply<?> reply, RemoteQuestion question) {
        ((ReplyHandle<?>) reply).open().question(question);
    }

    /**
     * Tells the outside of the wait to which a path leads, if it leads there.
     *
     * @param self the actor from which the first edge comes
     * @param path the edges that were followed, of which the last leads to {@code end}
     * @param deferred the edge of {@code end} for a reply that was deferred; null if it has none
     */
    static void note(Cell self, List<Waiting> path, Cell end, @Nullable Waiting deferred) {
        var outside = behind(deferred == null ? end : deferred.target());
        if (outside == null) {
            return;
        }
        var size = path.size();
        outside.waits(deferred != null ? new RemoteWait(List.of(deferred), end)
                : new RemoteWait(List.of(path.get(size - 1)),
                        size == 1 ? self : path.get(size - 2).target()));
    }

    // ---- What waits. ----

    /**
     * Finds the wait on which an answer of an actor of this process depends.
     *
     * @param answer what an ask has returned
     * @return empty if the answer depends on no wait for the outside, or on a pool
     */
    public static Optional<RemoteWait> under(CompletableFuture<?> answer) {
        var path = new ArrayList<Waiting>();
        @Nullable Waiting step = answer instanceof Answer<?> asked ? asked : null;
        while (step != null && step.dependsOnTarget() && path.size() < MAX_LENGTH) {
            path.add(step);
            var cell = step.target();
            var next = cell instanceof Served ? null : cell.waiting();
            if (next != null && behind(next.target()) != null) {
                var isThere = WaitGraph.stillThere(path) && !next.isOver() && WaitGraph.has(cell, next);
                path.add(next);
                return isThere ? Optional.of(new RemoteWait(path, cell)) : Optional.empty();
            }
            step = next;
        }
        return Optional.empty();
    }

    /** Returns the question that waits for its answer, if it is known. */
    public Optional<RemoteQuestion> question() {
        return end() instanceof Answer<?> answer && answer.origin().place() instanceof OpenReply reply
                ? Optional.ofNullable(reply.question())
                : Optional.empty();
    }

    private Waiting end() {
        return edges.get(edges.size() - 1);
    }

    /** Returns whether the actor does not wait any more. */
    public boolean isOver() {
        return end().isOver() || !WaitGraph.has(waiter, end());
    }

    /** Returns whether this is the same wait of the same actor. */
    public boolean endsAs(RemoteWait other) {
        return end() == other.end();
    }

    /** Returns whether all edges are the same. */
    public boolean isSameAs(RemoteWait other) {
        var same = edges.size() == other.edges.size();
        for (int i = 0; same && i < edges.size(); i++) {
            same = edges.get(i) == other.edges.get(i);
        }
        return same;
    }

    /** Returns the names of the actors on the path, the one that waits for the outside last. */
    public List<String> names() {
        var names = new ArrayList<String>();
        for (int i = 0; i < edges.size() - 1; i++) {
            names.add(edges.get(i).target().name());
        }
        if (names.isEmpty()) {
            names.add(waiter.name());
        }
        return names;
    }

    /** Records that the wait was found to be a part of a cycle. */
    public void recordCycle(String cycle) {
        waiter.spec.scope.events().askCycle(waiter.name(), waiter.behavior.handlerClass(), cycle);
    }
}
