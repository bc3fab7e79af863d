package io.fibry.internal.keyed;

import io.fibry.Actor;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.ActorListener;
import io.fibry.event.Expired;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.AskFailures;
import io.fibry.internal.actor.Interrupts;
import io.fibry.internal.report.Fates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Keyed actors as a cluster sees them.
 *
 * <p>The actors of a key end one after the other, and the map has the newest: its end is the end of all.
 */
record KeysOfNode(Keyed<?, ?, ?, ?> actors) implements SharedKeys {
    @Override
    public boolean isMovable() {
        return actors.isMovable;
    }

    @Override
    public Optional<SliceWork> work() {
        return Optional.ofNullable(actors.work);
    }

    @Override
    public boolean letsSendersIn() {
        var blocks = actors.spec.mailbox() instanceof MailboxPolicy.Bounded bounded
                && bounded.overflow() instanceof OverflowPolicy.Block;
        return !blocks && actors.crew.budget() == null && !actors.spec.placement().mayRunInPlace();
    }

    @Override
    public void tellFailures(AskFailures words, ActorListener listener) {
        actors.crew.listen(listener);
        actors.crew.tellFailures(actors.spec, words);
    }

    @Override
    public Optional<String> take(String group) {
        return Optional.ofNullable(actors.group.compareAndExchange(null, group));
    }

    @Override
    public void giveBack() {
        actors.group.set(null);
    }

    @Override
    public void gate(BooleanSupplier mayBegin) {
        actors.gate = mayBegin;
    }

    @Override
    public boolean isStopping() {
        return actors.crew.isClosing();
    }

    @Override
    public boolean hasEnded() {
        return isStopping() && actors.all().isEmpty();
    }

    @Override
    @SuppressWarnings("unchecked") // the actors take the messages of their own work
    public CompletableFuture<Void> end(Predicate<Object> keys, boolean gently) {
        var work = work();
        Optional<Object> last = work.isPresent() ? work.orElseThrow().last() : Optional.empty();
        var ends = new ArrayList<CompletableFuture<?>>();
        for (var each : actors.all()) {
            if (keys.test(each.key)) {
                var actor = (Actor<Object, ?>) each.cell;
                if (gently) {
                    if (last.isPresent()) {
                        actor.sendMessage(last.orElseThrow());
                    }
                    actor.sendPoisonPill();
                } else {
                    actor.askExit();
                }
                ends.add(actor.onStopped());
            }
        }
        return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
    }

    /** An actor that works, and the number of messages that it had finished before. */
    private record Work(KeyActor actor, long finished) {
        boolean goesOn() {
            return actor.cell.isAtWork() && actor.cell.finishedSoFar() == finished;
        }
    }

    private record Works(List<Work> all) implements WorkOfKeys {
        @Override
        public List<Object> interrupt() {
            var interrupted = new ArrayList<Object>();
            for (var work : all) {
                if (work.goesOn()) {
                    Interrupts.turn(work.actor.cell);
                    interrupted.add(work.actor.key);
                }
            }
            return interrupted;
        }
    }

    @Override
    public WorkOfKeys working(Predicate<Object> keys) {
        var working = new ArrayList<Work>();
        for (var each : actors.all()) {
            if (each.cell.isAtWork() && keys.test(each.key)) {
                working.add(new Work(each, each.cell.finishedSoFar()));
            }
        }
        return new Works(working);
    }

    @Override
    public void refuse(Object message, Cause cause) {
        actors.refused(message, cause);
    }

    @Override
    public void expire(Object message, Duration timeToLive) {
        actors.crew.fates().add(Fates.Kind.EXPIRED, 1);
        actors.crew.fates().remember(actors.name(), message, Fates.Kind.EXPIRED);
        actors.crew.events().report(new Expired(actors.name(), message, timeToLive));
    }
}
