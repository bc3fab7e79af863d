package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The receipts of a scope of their own, in the order of their ends and then of their beginnings. Receipts whose time is over
 * are removed whenever the book is used, and by an alarm at the time of the oldest one.
 */
final class ReceiptBook implements Receipts {
    private final ActorScope scope;
    private final ReceiptOptions options;
    private final long keptNanos;
    private final Environment environment;
    /** Guards both maps, and whether there is an alarm. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, WorkReceipt<?>> running = new LinkedHashMap<>();
    private final SequencedMap<String, Ended> over = new LinkedHashMap<>();
    private boolean hasAlarm;

    /** A receipt whose work has ended, and the time until which it is kept. */
    private record Ended(WorkReceipt<?> receipt, long until) {
    }

    /** The code of a receipt: reports name its class and the receipt. */
    private record Work<T extends @Nullable Object>(WorkReceipt<T> receipt,
            ReplyHandler<Progress, T> content) implements Callable<Optional<WorkReceipt.Returned<T>>>, Envelope {
        @Override
        public Optional<WorkReceipt.Returned<T>> call() throws Exception {
            return receipt.run(content);
        }

        @Override
        public Optional<String> about() {
            return Optional.of("receipt " + receipt.id());
        }
    }

    private ReceiptBook(ActorScope scope, ReceiptOptions options) {
        this.scope = scope;
        this.options = options;
        keptNanos = Environment.nanos(options.keptFor());
        environment = new Environment(scope, scope.name(), options.listener());
    }

    static ReceiptBook open(ActorScope around, String name, ReceiptOptions options) {
        Objects.requireNonNull(around, "scope");
        Objects.requireNonNull(options, "options");
        var book = new ReceiptBook(
                around.child(Objects.requireNonNull(name, "name")).withoutInterceptors().open(), options);
        book.scope.closeOnExit(book::end);
        return book;
    }

    @Override
    public <T extends @Nullable Object> Receipt<T> start(ReplyHandler<Progress, T> code) {
        Objects.requireNonNull(code, "code");
        var receipt = new WorkReceipt<T>(environment,
                Objects.requireNonNull(options.ids().get(), "the id of a receipt"), options.notes(),
                this::moveToEnd);
        add(receipt);
        // In an actor of its own: the code would have the time limit of this handler.
        var begin = environment.later(() -> begin(receipt, code), receipt::fail);
        try {
            begin.beginApart();
        } catch (RuntimeException | Error refused) {
            remove(receipt);
            receipt.fail(refused); // another thread may have found it
            throw new IllegalStateException("'" + scope.name() + "' can start no work: "
                    + (scope.onStopped().isDone() ? "it has ended; open another one" : refused.getMessage()),
                    refused);
        }
        return receipt;
    }

    private void add(WorkReceipt<?> receipt) {
        var now = environment.nanoTime();
        lock.lock();
        try {
            dropOld(now);
            if (running.containsKey(receipt.id()) || over.containsKey(receipt.id())) {
                throw new IllegalStateException(
                        "two receipts of '" + scope.name() + "' have the id '" + receipt.id()
                                + "': make each id once (ReceiptOptions.withIds)");
            }
            if (running.size() >= options.most()) {
                throw new ReceiptsFullException("'" + scope.name()
                        + "' has as many receipts as it may, " + options.most()
                        + ", and all of their work runs: wait for one of them, or allow more by ReceiptOptions");
            }
            if (running.size() + over.size() >= options.most()) {
                over.pollFirstEntry();
            }
            running.put(receipt.id(), receipt);
        } finally {
            lock.unlock();
        }
    }

    private <T extends @Nullable Object> void begin(WorkReceipt<T> receipt, ReplyHandler<Progress, T> code) {
        if (receipt.state().isOver()) {
            return;
        }
        var builder = Objects.requireNonNull(options.actors().apply(scope.anonymous()),
                "the builder that ReceiptOptions.withActors returns");
        var actor = builder.interruptOnCancel().newActor((Object message) -> {
        });
        try {
            receipt.follow(actor.execFuture(new Work<>(receipt, code)));
        } finally {
            actor.sendPoisonPill();
        }
    }

    private void moveToEnd(WorkReceipt<?> receipt) {
        var now = environment.nanoTime();
        boolean isFirst;
        lock.lock();
        try {
            if (!running.remove(receipt.id(), receipt)) {
                return; // its work could not be started
            }
            over.put(receipt.id(), new Ended(receipt, now + keptNanos));
            isFirst = !hasAlarm;
            hasAlarm = true;
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            setAlarm(keptNanos);
        }
    }

    /** Without an alarm, as after the end of the scope, old receipts are removed when the book is used. */
    private void setAlarm(long pause) {
        environment.later(this::sweep, notSet -> {
        }).beginAfter(Duration.ofNanos(pause), LaterCode.UNTIL_END);
    }

    private void sweep() {
        var now = environment.nanoTime();
        long pause = 0;
        lock.lock();
        try {
            dropOld(now);
            hasAlarm = !over.isEmpty();
            if (hasAlarm) {
                pause = over.firstEntry().getValue().until() - now;
            }
        } finally {
            lock.unlock();
        }
        if (pause > 0) {
            setAlarm(pause);
        }
    }

    /** Removes the receipts whose time is over; it is called under the lock. */
    private void dropOld(long now) {
        for (var first = over.firstEntry(); first != null
                && first.getValue().until() - now <= 0; first = over.firstEntry()) {
            over.pollFirstEntry();
        }
    }

    private void remove(WorkReceipt<?> receipt) {
        lock.lock();
        try {
            running.remove(receipt.id(), receipt);
        } finally {
            lock.unlock();
        }
    }

    /** After the actors have ended: work that has not begun will not. */
    private void end() {
        for (var receipt : all()) {
            receipt.fail(new ActorStoppedException(
                    "the scope '" + scope.name() + "' has ended before the work of receipt '"
                            + receipt.id() + "'"));
        }
    }

    private List<WorkReceipt<?>> all() {
        var now = environment.nanoTime();
        lock.lock();
        try {
            dropOld(now);
            var all = new ArrayList<WorkReceipt<?>>();
            over.values().forEach(ended -> all.add(ended.receipt()));
            all.addAll(running.values());
            return all;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Receipt<?>> find(String id) {
        Objects.requireNonNull(id, "id");
        var now = environment.nanoTime();
        lock.lock();
        try {
            dropOld(now);
            var ended = over.get(id);
            return Optional.ofNullable(ended == null ? running.get(id) : ended.receipt());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<ReceiptState> states() {
        return all().stream().map(WorkReceipt::state).toList();
    }

    @Override
    public Counters counters() {
        return scope.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return scope.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public void close() {
        scope.close();
    }

    @Override
    public String toString() {
        return "Receipts[" + scope.name() + ", " + all().size() + "]";
    }
}
