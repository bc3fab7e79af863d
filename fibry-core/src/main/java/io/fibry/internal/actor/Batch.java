package io.fibry.internal.actor;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.context.Carried;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.report.Fates;
import io.fibry.message.BatchOptions;
import io.fibry.time.Cancellable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The messages that wait for their batch to end, oldest first. The turn alone uses this object; other threads read its
 * size.
 *
 * <p>When a batch ends, a {@link Due} is put in front of the mailbox, so that the handler runs on behalf of no sender. It is
 * put there by the message that fills the batch, by a poison pill, by a probe of a scope that is drained, or by an {@link
 * Elapsed}, which the timer of the batch sends. The number in that node tells the batches apart, so a timer that comes
 * late ends no other batch.
 */
public final class Batch implements Keeper {
    private static final VarHandle SIZE =
            FieldAccess.of(MethodHandles.lookup(), "size", int.class);

    private final Cell cell;
    private final Behavior handler;
    private final int most;
    private final long longestNanos;
    private final @Nullable Function<Object, Object> key;
    private final @Nullable BinaryOperator<Object> merge;
    private final Deque<Node> nodes = new ArrayDeque<>();
    /** The groups of a batch that has ended, without those that were handled. */
    private final Deque<List<Node>> groups = new ArrayDeque<>();
    /** The number of messages in both. Written by the turn, opaque. */
    private int size;
    private int number;
    private boolean isDue;
    private @Nullable Cancellable timer;

    @SuppressWarnings("unchecked") // the actor takes messages of this type only
    private Batch(Cell cell, BatchOptions<?> options, Behavior handler) {
        this.cell = cell;
        this.handler = handler;
        most = options.most();
        longestNanos = Durations.nanos(options.longestWait(), "longestWait");
        key = (Function<Object, Object>) options.key().orElse(null);
        merge = (BinaryOperator<Object>) options.merge().orElse(null);
    }

    /**
     * The layer that makes batches of the messages. All layers inside it are around the handling of a batch.
     *
     * @param options which messages become a batch
     */
    public record Batching(BatchOptions<?> options) implements Layer {
        @Override
        public Behavior around(ActorSpec spec, Behavior inner) {
            return new Collecting(inner, options);
        }
    }

    // ---- The open batch. ----

    @Override
    public void keep(Turn turn, Node node) {
        turn.skipped();
        node.seq = Node.ASIDE; // for the texts of time-outs
        nodes.add(node);
        count(1);
        if (nodes.size() >= most) {
            // mutant: full-batch-does-not-end
            end();
        } else if (nodes.size() == 1) {
            setTimer(turn);
        }
    }

    private void setTimer(Turn turn) {
        if (longestNanos == Long.MAX_VALUE) {
            return;
        }
        var set = false;
        try {
            timer = turn.time().schedule(longestNanos, new Ring(cell, number));
            set = true;
        } finally {
            if (!set) {
                end(); // there is no memory for a timer
            }
        }
    }

    private record Ring(Cell cell, int number) implements Runnable {
        @Override
        public void run() {
            cell.sendControlAway(new Elapsed(number));
        }
    }

    private void cancelTimer() {
        var mine = timer;
        timer = null;
        if (mine != null) {
            mine.cancel();
        }
    }

    /** Ends the open batch: its messages are handled next. */
    private void end() {
        if (!isDue) {
            isDue = true;
            cancelTimer();
            Inbox.of(cell).putAhead(new Due(this));
        }
    }

    @Override
    public void finish() {
        if (size() > 0) {
            end();
        }
    }

    @Override
    public boolean finishBefore(Node stop) {
        if (size() == 0) {
            return false;
        }
        // mutant: batch-is-lost-at-a-pill
        Inbox.of(cell).putAhead(stop);
        isDue = false; // what is due already comes before the node that was just put there
        end();
        return true;
    }

    @Override
    public boolean isWork() {
        return size() > 0;
    }

    @Override
    public boolean needsTurn() {
        return true;
    }

    /** The batch is not handled yet, and is handled by the next handler. */
    @Override
    public void beforeRestart() {
    }

    @Override
    public void leave(Consumer<Node> leftOver) {
        cancelTimer();
        for (var group = groups.poll(); group != null; group = groups.poll()) {
            group.forEach(leftOver);
        }
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            leftOver.accept(node);
        }
        SIZE.setOpaque(this, 0);
    }

    private void count(int more) {
        SIZE.setOpaque(this, size + more);
    }

    @Override
    public int size() {
        return (int) SIZE.getOpaque(this);
    }

    @Override
    public String place() {
        return "it waits for the end of its batch, as one of ";
    }

    // ---- A batch that has ended. ----

    private void handleGroup(Turn turn) {
        isDue = false;
        if (groups.isEmpty()) {
            number++;
            group(turn);
        }
        if (groups.isEmpty()) {
            return;
        }
        if (turn.isRestarting() || cell.exitRequested()) { // a message without a key has failed
            end();
            return;
        }
        var call = next(turn);
        if (!groups.isEmpty()) {
            end(); // before the handler, which may fail: the next group comes after the restart
        }
        if (!call.isEmpty()) {
            handle(turn, call);
        }
    }

    /** Takes out what the next call of the handler gets: one group, or all of them if each becomes one message. */
    private List<List<Entry>> next(Turn turn) {
        var call = new ArrayList<List<Entry>>();
        do {
            var entries = new ArrayList<Entry>();
            for (var node : groups.remove()) {
                var entry = entry(turn, node);
                if (entry != null) {
                    entries.add(entry);
                }
            }
            if (!entries.isEmpty()) {
                call.add(entries);
            }
        } while (merge != null && !groups.isEmpty());
        return call;
    }

    /** Distributes the messages over groups: one for each key, or one for all. A message whose key fails, fails alone. */
    private void group(Turn turn) {
        if (key == null) {
            if (!nodes.isEmpty()) {
                groups.add(new ArrayList<>(nodes));
                nodes.clear();
            }
            return;
        }
        var byKey = new LinkedHashMap<@Nullable Object, List<Node>>();
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            var content = node.content();
            try {
                var its = content == null ? null : key.apply(content);
                var group = byKey.get(its);
                if (group == null) {
                    group = new ArrayList<>();
                    byKey.put(its, group);
                }
                group.add(node);
            } catch (Throwable failure) {
                var entry = entry(turn, node);
                if (entry != null) {
                    fail(turn, List.of(entry), failure);
                }
            }
        }
        groups.addAll(byKey.values());
    }

    /** A message of the batch that is handled, with its answer if it was asked. */
    private record Entry(Node node, Object content, @Nullable Answer<@Nullable Object> answer) {
    }

    /** Takes a message out; returns null if it is over. */
    private @Nullable Entry entry(Turn turn, Node node) {
        cell.extendedState().takenUp(1);
        count(-1);
        if (node instanceof MessageNode message && message.isLate(cell)) {
            node.handle(turn); // it has expired
            node.clear();
            return null;
        }
        var answer = node instanceof Asked asked ? asked.answer() : null;
        var content = node.content();
        if (content == null || node.isOver() || (answer != null && answer.isOverByNow())) {
            turn.expired();
            node.clear();
            return null;
        }
        return new Entry(node, content, answer);
    }

    private void handle(Turn turn, List<List<Entry>> call) {
        var entries = new ArrayList<Entry>();
        for (var group : call) {
            entries.addAll(group);
        }
        try {
            handler.handle(turn, messages(call));
        } catch (Throwable failure) {
            fail(turn, entries, failure);
            return;
        }
        var requests = new ArrayList<Entry>();
        for (var entry : entries) {
            if (entry.answer != null && entry.answer.isOfRequest()) {
                requests.add(entry);
            } else {
                handled(turn, entry);
            }
        }
        if (!requests.isEmpty()) {
            fail(turn, requests, new IllegalStateException("actor '" + cell.name() + "' of scope '"
                    + cell.spec.scope.name()
                    + "' was asked a request, and handles batches, which give no replies; ask an actor that was made"
                    + " with newActorWithReturn"));
        }
    }

    private List<Object> messages(List<List<Entry>> call) {
        var messages = new ArrayList<Object>();
        for (var group : call) {
            if (merge != null) {
                messages.add(merged(group, merge));
                continue;
            }
            for (var entry : group) {
                messages.add(entry.content);
            }
        }
        return messages;
    }

    private Object merged(List<Entry> group, BinaryOperator<Object> merging) {
        var merged = group.getFirst().content;
        for (var newer : group.subList(1, group.size())) {
            merged = merging.apply(merged, newer.content);
            if (merged == null) {
                throw new NullPointerException("the function that merges messages of a batch of actor '"
                        + cell.name() + "' of scope '" + cell.spec.scope.name()
                        + "' has returned null when it got a message of " + ContentClass.nameOf(newer.content)
                        + "; let it return a message");
            }
        }
        return merged;
    }

    private void handled(Turn turn, Entry entry) {
        var answer = entry.answer;
        giveBackPlaces(entry);
        if (answer == null) {
            turn.handled();
            var fate = fateOf(entry);
            if (fate != null) {
                fate.handled();
            }
        } else {
            turn.answered(answer, null);
        }
        entry.node.clear();
    }

    /** Fails all messages. The policy decides once, and the failure is reported once, unless the messages are kept. */
    private void fail(Turn turn, List<Entry> entries, Throwable failure) {
        var isFirst = true;
        for (var entry : entries) {
            if (isFirst) {
                turn.extendedState().sentFrom = entry.node.sentFrom();
                try {
                    turn.failed(entry.content, failure);
                } finally {
                    turn.extendedState().sentFrom = null;
                }
            } else {
                cell.count(Fates.Kind.FAILED);
                cell.extendedState().finishedOtherwise();
                if (cell.spec.keepsFailed()) {
                    cell.reportFailure(entry.content, failure, entry.node.sentFrom());
                }
            }
            isFirst = false;
            giveBackPlaces(entry);
            var fate = fateOf(entry);
            if (fate != null) {
                fate.failed(failure);
            }
            if (entry.answer != null) {
                entry.answer.failWith(failure);
            }
            entry.node.clear();
        }
    }

    private static @Nullable FateAnswer fateOf(Entry entry) {
        return entry.node instanceof MessageNode message ? message.fateAfterPlaces() : null;
    }

    private static void giveBackPlaces(Entry entry) {
        if (entry.node instanceof Asked asked) {
            asked.giveBackPlaces();
        }
    }

    /** The behavior of an actor whose messages become batches. */
    private static final class Collecting extends SurroundingBehavior {
        private final BatchOptions<?> options;

        Collecting(Behavior handler, BatchOptions<?> options) {
            super(handler);
            this.options = options;
        }

        @Override
        public void equip(Cell cell) {
            super.equip(cell);
            var extended = cell.extendedState();
            extended.keeper = new Batch(cell, options, inner);
            extended.inbox = new Inbox(cell);
        }

        @Override
        public Object handle(Turn turn, Object message) {
            return Unfinished.KEPT;
        }

        @Override
        public boolean mayKeep() {
            return true;
        }
    }

    /** A batch that has ended. It is in front of the mailbox only. */
    private static final class Due extends Node {
        private final Batch batch;

        Due(Batch batch) {
            this.batch = batch;
        }

        @Override
        public void handle(Turn turn) {
            if (!fits() && turn.mayLeave(this)) {
                turn.leaveForAnotherStack(new Due(batch), this);
            } else {
                var around = NoMessage.begin(turn);
                try {
                    batch.handleGroup(turn);
                } finally {
                    NoMessage.end(turn, around);
                }
            }
        }

        /** Returns whether the turn runs without carried context, since a batch has no sender. */
        @Override
        public boolean fits() {
            var carriers = batch.cell.spec.carriers;
            return carriers == null || Carried.fits(carriers.nothing());
        }

        @Override
        public void refused(Turn turn, Throwable why) {
            batch.isDue = false;
            batch.number++;
            batch.leave(new Refusal(turn, why));
        }

        private record Refusal(Turn turn, Throwable why) implements Consumer<Node> {
            @Override
            public void accept(Node node) {
                turn.cell.extendedState().takenUp(1);
                node.refused(turn, why);
            }
        }

        @Override
        public boolean isControl() {
            return true;
        }
    }

    /** Tells that the time of a batch is over. */
    private static final class Elapsed extends Node {
        private final int number;

        Elapsed(int number) {
            this.number = number;
        }

        @Override
        public void handle(Turn turn) {
            turn.skipped();
            if (turn.extendedState().keeper instanceof Batch batch && batch.number == number
                    && !batch.nodes.isEmpty()) {
                batch.end();
            }
        }

        @Override
        public void refused(Turn turn, Throwable why) {
            handle(turn);
        }

        @Override
        public Node again() {
            return new Elapsed(number);
        }

        @Override
        public boolean isControl() {
            return true;
        }
    }
}
