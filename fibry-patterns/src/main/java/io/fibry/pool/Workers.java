package io.fibry.pool;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.Request;
import io.fibry.SharedMailbox;
import io.fibry.SharedMailbox.HandOver;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A pool: one mailbox, the workers that share it, and the list of those that have nothing to do.
 *
 * <p>A sender first puts its message into the mailbox and then looks for an idle worker. A worker first puts itself into
 * the list and then looks for a message. So one of the two sees the other, and no message waits while a worker is idle.
 *
 * <p>The class is long because growth, weights, keys and the end all decide who may take the next message: one order of
 * steps holds for all of them.
 */
final class Workers<M, R extends @Nullable Object> implements WorkerPool<M, R> {
    private final PoolOptions<M> options;
    private final BiFunction<ActorBuilder, Worker<M, R>, Actor<M, R>> maker;
    private final ActorScope crew;
    private final SharedMailbox<M, R> mailbox;
    private final @Nullable Claims<M, R> claims;
    private final IdleWorkers<Worker<M, R>> idle = new IdleWorkers<>(Worker::isGone);
    /** The thread that raises it, by CAS up to the limit, makes a worker. */
    private final AtomicInteger size = new AtomicInteger();
    /** How many of them have stopped and have their place until their state is closed. */
    private final AtomicInteger ending = new AtomicInteger();
    /** The workers that are made and have not left. A worker is counted in the size before it is here, and until it is not. */
    private final Map<Integer, Worker<M, R>> workers = new ConcurrentSkipListMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    /** How many workers in a row have ended without having handled anything; a message that is sent sets it to zero. */
    private final AtomicInteger vain = new AtomicInteger();

    Workers(ActorScope scope, String name, PoolOptions<M> options,
            BiFunction<ActorBuilder, Worker<M, R>, Actor<M, R>> maker) {
        this.options = Objects.requireNonNull(options, "options");
        this.maker = maker;
        crew = Objects.requireNonNull(scope, "scope").child(Objects.requireNonNull(name, "name")).open();
        var made = false;
        try {
            mailbox = Stereotypes.with(crew.named(name)
                    .mailbox(MailboxPolicy.bounded(options.capacity(), options.overflow()))).sharedMailbox();
            mailbox.whenWaiting(this::sent);
            mailbox.servedBy(this::all);
            claims = Claims.areNeeded(options) ? new Claims<>(options, mailbox, this::list) : null;
            for (int i = 0; i < options.least(); i++) {
                size.incrementAndGet();
                add(new Worker<>(), false);
            }
            made = true;
        } finally {
            if (!made) {
                crew.close();
            }
        }
    }

    // ---- Workers. ----

    /** Makes a worker, which was counted before. */
    private void add(Worker<M, R> worker, boolean stopsWhenIdle) {
        var number = numbers.incrementAndGet();
        var builder = Objects
                .requireNonNull(
                        options.actors().apply(crew.named(crew.name() + "-" + number)),
                        "the builder that PoolOptions.withActors returns")
                .mailbox(MailboxPolicy.unbounded()).onExit(() -> ended(worker, stopsWhenIdle));
        var actor = maker.apply(stopsWhenIdle ? builder.stopWhenIdle(options.idle()) : builder, worker);
        worker.begin(number, actor);
        workers.put(number, worker);
        if (worker.isEnded()) {
            workers.remove(number); // in between
        }
        // The place of a worker comes back at its end at the latest: what an abandoned thread has may never be closed.
        var unused = actor.onStopped().thenRun(() -> passPlace(worker));
        // With weights or keys the claims choose each message.
        mailbox.takenBy(actor, claims == null ? worker::isWorking : () -> false, () -> feed(worker));
        list(worker);
    }

    /** Makes one more worker if there are to be more; returns whether there is one. */
    private boolean grow() {
        while (true) {
            var now = size.get();
            if (now >= options.most() || !mayMake()
                    || (now - ending.get() >= options.least() && mailbox.waiting() < options.growth())) {
                return false;
            }
            if (size.compareAndSet(now, now + 1)) {
                return addOrReport(now >= options.least());
            }
        }
    }

    /** Makes the workers that are missing. */
    private void refill() {
        while (true) {
            var now = size.get();
            if (now >= options.least() || !mayMake()
                    || (mailbox.isClosing() && (now > 0 || mailbox.waiting() == 0))
                    || (size.compareAndSet(now, now + 1) && !addOrReport(false))) {
                return;
            }
        }
    }

    /**
     * Returns whether another worker may be created. If workers keep ending without having handled anything, no more
     * are created.
     */
    private boolean mayMake() {
        return vain.get() <= options.most();
    }

    private boolean addOrReport(boolean stopsWhenIdle) {
        var worker = new Worker<M, R>();
        try {
            add(worker, stopsWhenIdle);
            return true;
        } catch (StackOverflowError deep) {
            givePlaceBack(worker);
            throw deep;
        } catch (Throwable failed) {
            givePlaceBack(worker);
            if (!mailbox.isClosing()) {
                report(failed);
            }
            return false;
        }
    }

    /** Reports what the making of a worker has thrown: a sender has nothing to do with that. */
    private void report(Throwable failed) {
        Stereotypes.with(crew.anonymous()).runOnce(() -> {
            if (failed instanceof Error error) {
                throw error;
            }
            throw (Exception) failed;
        });
    }

    /**
     * Called by a worker that stops, in its exit hook. A worker that stops when it is idle has ended in vain only if
     * messages wait for one more: otherwise none is made in its place.
     */
    private void ended(Worker<M, R> worker, boolean stopsWhenIdle) {
        if (!leave(worker)) {
            return;
        }
        idle.noteGone(size.get());
        if (worker.hasHandled()) {
            vain.set(0);
        } else if (!stopsWhenIdle || mailbox.waiting() >= options.growth()) {
            vain.incrementAndGet();
        }
        if (claims != null) {
            // mutant: worker-that-stops-keeps-its-units
            claims.left(worker);
        }
        worker.whenClosed(() -> passPlace(worker));
        if (claims != null || size.get() < options.most()) {
            wake(); // what it has given back may be enough, and another one need not wait for its place
        }
    }

    /** Called by a worker that has stopped and whose state is closed: another one may have its place. */
    private void passPlace(Worker<M, R> worker) {
        if (givePlaceBack(worker)) {
            refill();
            // mutant: worker-that-stops-wakes-no-other
            wake();
        }
    }

    /** Notes that a worker takes no message any more; returns false if that is known. */
    private boolean leave(Worker<M, R> worker) {
        if (!worker.leave()) {
            return false;
        }
        ending.incrementAndGet();
        return true;
    }

    /** Counts a worker no more; returns false if that was done before. */
    private boolean givePlaceBack(Worker<M, R> worker) {
        leave(worker);
        if (!worker.givePlaceBack()) {
            return false;
        }
        workers.remove(worker.number());
        size.decrementAndGet();
        ending.decrementAndGet();
        return true;
    }

    /** Returns all actors that handle messages, if no other one may be made. */
    private Optional<List<Actor<M, R>>> all() {
        if (size.get() < options.most()) {
            return Optional.empty();
        }
        var all = new ArrayList<Actor<M, R>>();
        for (var each : workers.values()) {
            var actor = each.actor();
            if (actor.isPresent()) {
                all.add(actor.get());
            }
        }
        // mutant: worker-that-is-being-made-counts-as-one-that-waits
        return all.size() == options.most() ? Optional.of(all) : Optional.empty();
    }

    private void list(Worker<M, R> worker) {
        if (worker.list()) {
            idle.add(worker);
            if (worker.isGone()) {
                idle.noteGone(size.get()); // it has stopped in between, and may have been noted before it was added
            }
        }
    }

    private @Nullable Worker<M, R> takeIdle() {
        while (true) {
            var worker = idle.poll();
            if (worker == null || worker.take()) {
                return worker;
            }
        }
    }

    // ---- Messages. ----

    /** Called by a worker when it has nothing left to do; returns whether it is to look again. */
    private boolean feed(Worker<M, R> worker) {
        if (!worker.isWorking()) {
            return worker.lookAgain();
        }
        if (claims == null) {
            // mutant: worker-that-is-done-is-not-listed
            list(worker);
        } else if (!claims.isDone(worker)) {
            return true;
        }
        // What has become free may be enough for several messages.
        // mutant: worker-is-listed-without-a-look-at-the-mailbox
        wake();
        return false;
    }

    /** Called when a message was sent. */
    private void sent() {
        if (vain.get() != 0) {
            vain.set(0);
        }
        wake();
    }

    /**
     * Hands messages over to idle workers, as long as there are both. The list of workers and their number are read
     * first: while all workers are busy they do not change, and what waits changes all the time.
     */
    private void wake() {
        while ((idle.mayHaveAny() || size.get() < options.most()) && mailbox.waiting() > 0) {
            var worker = takeIdle();
            if (worker == null) {
                if (!grow()) {
                    return;
                }
            } else if (claims == null) {
                giveAny(worker);
            } else if (!give(worker, claims)) {
                return;
            }
        }
    }

    /** Hands a message over to a worker that was taken from the list. */
    private void giveAny(Worker<M, R> worker) {
        var isGiven = false;
        try {
            isGiven = mailbox.handOver(worker) != HandOver.EMPTY;
        } finally {
            if (isGiven) {
                worker.confirmGiven();
            } else {
                list(worker);
            }
        }
        if (!isGiven) {
            pauseForLink();
        }
    }

    /** Hands a message over to that worker, as the claims allow it; returns false if there is no use in going on. */
    private boolean give(Worker<M, R> worker, Claims<M, R> mine) {
        var version = mine.version();
        return switch (mine.give(worker)) {
            case TO_IT, TO_ANOTHER, ENDED -> true;
            case EMPTY -> {
                pauseForLink();
                yield true;
            }
            case LEFT -> mine.version() != version;
        };
    }

    /** Pauses if the sender of a message is about to link it, and not if another worker has taken the message. */
    private void pauseForLink() {
        if (mailbox.waiting() > 0) {
            Thread.yield();
        }
    }

    /** Refuses a message that the pool can never handle. */
    private M checked(M message) {
        Objects.requireNonNull(message, "message");
        if (options.hasWeights()) {
            var weight = options.weight().applyAsInt(message);
            if (weight < 1 || weight > options.units()) {
                throw new IllegalArgumentException("pool '" + name() + "' has " + options.units()
                        + " units and cannot handle a message of weight " + weight + ", a "
                        + message.getClass().getName() + ": give it a weight from 1 to " + options.units()
                        + ", or the pool more units");
            }
        }
        if (options.hasKeys()) {
            Key.check(options.key().apply(message)); // what fails here fails before anything was sent
        }
        return message;
    }

    @SuppressWarnings("unchecked") // a request of another protocol fails in the handler, as documented
    private void check(Request<?> request) {
        checked((M) Objects.requireNonNull(request, "request"));
    }

    @Override
    public String name() {
        return crew.name();
    }

    @Override
    public boolean sendMessage(M message) {
        return mailbox.sendMessage(checked(message));
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return mailbox.sendMessage(checked(message), timeToLive);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return mailbox.sendTracked(checked(message));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return mailbox.sendTracked(checked(message), timeToLive);
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return mailbox.sendMessageReturn(checked(message));
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        return mailbox.ask(checked(message), timeout);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        check(request);
        return mailbox.request(request);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        check(request);
        return mailbox.request(request, timeout);
    }

    // ---- Queries and the end. ----

    /** Tells whether messages are taken, and not refused since the pool has stopped or is about to. */
    boolean isOpen() {
        return !mailbox.isClosing();
    }

    @Override
    public int size() {
        return size.get();
    }

    @Override
    public int busy() {
        return Math.max(0, size.get() - idle.size());
    }

    @Override
    public int waiting() {
        return mailbox.waiting();
    }

    @Override
    public Counters counters() {
        return crew.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return crew.stop(deadline);
    }

    @Override
    public boolean isStopping() {
        return crew.isClosing();
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return crew.onStopped();
    }

    @Override
    public void close() {
        crew.close();
    }

    @Override
    public String toString() {
        return "WorkerPool[" + name() + ", " + size() + " workers, " + busy() + " busy, " + waiting()
                + " waiting]";
    }
}
