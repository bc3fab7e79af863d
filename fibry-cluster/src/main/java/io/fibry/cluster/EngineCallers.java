package io.fibry.cluster;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes frames and changes of tables to the engine, which may let its caller wait: each peer has an actor that sends,
 * and another actor changes tables. The actor of the member alone calls it.
 *
 * <p>While a line sends a frame, at most one other frame waits. Items that come meanwhile share the next one. If the
 * line is not free, the member sets {@code isWanted} and looks once more. The line first takes its last frame and
 * then reads {@code isWanted}. So one of the two sees the other, and no item waits for the next tick.
 */
final class EngineCallers {
    private static final Logger LOGGER = LoggerFactory.getLogger(EngineCallers.class);
    /** So many go together, in one transaction, so that a move of thousands of slices needs few. */
    private static final int MOST_CHANGES = 128;
    /** Transmissions that wait for a peer. More are left out: what they carry is repeated. */
    private static final int MOST_FRAMES = 1024;

    private final ActorScope scope;
    private final ClusterEngine engine;
    private final Consumer<Input> member;
    private final Map<UUID, Line> lines = new HashMap<>();
    /** The changes that wait. */
    private final Queue<Change> changes = new ArrayDeque<>();
    private final Actor<List<Change>, Void> changer;
    /** Set by the actor of the member, when it has changes for the changer; cleared by the changer. */
    private volatile boolean isChanging;

    /** The member sets it and then reads {@link #waiting}; the line takes its last frame and then reads this. */
    private record Line(Actor<ByteBuffer, Void> sender, AtomicInteger waiting, AtomicBoolean isWanted) {
    }

    EngineCallers(ActorScope scope, ClusterEngine engine, Consumer<Input> member) {
        this.scope = scope;
        this.engine = engine;
        this.member = member;
        changer = scope.anonymous().newActor((List<Change> wanted) -> {
            var outcomes = Collections.nCopies(wanted.size(), Outcome.UNKNOWN); // if an error is thrown
            try {
                outcomes = change(wanted);
            } finally {
                // It is free before the member hears of the outcomes, so the member finds it free for the next changes.
                isChanging = false;
                member.accept(new Input.Proposed(wanted, outcomes));
            }
        });
    }

    private List<Outcome> change(List<Change> wanted) {
        try {
            return engine.change(wanted);
        } catch (NotServedException minority) {
            return Collections.nCopies(wanted.size(), Outcome.REFUSED);
        } catch (RuntimeException failed) {
            LOGGER.warn("The outcome of {} changes is unknown, among them one of the entry '{}'",
                    wanted.size(),
                    wanted.getFirst().key(), failed);
            return Collections.nCopies(wanted.size(), Outcome.UNKNOWN);
        }
    }

    void propose(Change change) {
        changes.add(change);
    }

    /** Begins changes that wait, if none are underway. Those that are not wanted any more are refused. */
    void change(Predicate<Change> isWanted) {
        if (isChanging) {
            return;
        }
        var wanted = new ArrayList<Change>();
        var unwanted = new ArrayList<Change>();
        while (!changes.isEmpty() && wanted.size() < MOST_CHANGES) {
            var next = changes.remove();
            (isWanted.test(next) ? wanted : unwanted).add(next);
        }
        if (!unwanted.isEmpty()) {
            member.accept(
                    new Input.Proposed(unwanted, Collections.nCopies(unwanted.size(), Outcome.REFUSED)));
        }
        if (!wanted.isEmpty()) {
            isChanging = true;
            changer.sendMessage(wanted);
        }
    }

    /** Whether the line to a node has begun to send all that it has. If it has not, the member is told when it has. */
    boolean isFree(UUID node) {
        var line = lines.get(node);
        if (line == null || line.waiting.get() == 0) {
            return true;
        }
        line.isWanted.set(true);
        return line.waiting.get() == 0;
    }

    void send(UUID node, ByteBuffer frame) {
        var line = lines.computeIfAbsent(node, this::line);
        if (line.waiting.get() < MOST_FRAMES) {
            line.waiting.incrementAndGet();
            line.sender.sendMessage(frame);
        }
    }

    private Line line(UUID node) {
        var waiting = new AtomicInteger();
        var isWanted = new AtomicBoolean();
        return new Line(scope.anonymous().newActor((ByteBuffer frame) -> {
            if (waiting.decrementAndGet() == 0 && isWanted.get() && isWanted.getAndSet(false)) {
                member.accept(new Input.LineFree());
            }
            try {
                var unused = engine.send(node, frame);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }), waiting, isWanted);
    }

    /** Forgets all nodes but these. */
    void keep(Set<UUID> nodes) {
        lines.entrySet().removeIf(entry -> {
            var isGone = !nodes.contains(entry.getKey());
            if (isGone) {
                entry.getValue().sender.sendPoisonPill();
            }
            return isGone;
        });
    }
}
