package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.OverflowPolicy;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Threads send to a pool, whose messages may have weights and keys, while workers fail, stop, end as idle and get messages that
 * are not the pool's, and while the pool is stopped. Unless it is, all messages are over in the end and all workers idle.
 */
final class Pools implements Scenario {
    private static final int UNITS = 3;
    private static final String FOREIGN = "foreign";

    /** A pool and what its handlers are doing. */
    private static final class Work {
        final Play play;
        final boolean hasWeights;
        final boolean hasKeys;
        final int failing;
        final List<Actor<Msg, ?>> workers = new ArrayList<>();
        final Set<Integer> keys = new HashSet<>();
        final Map<String, Integer> latest = new HashMap<>();
        int units;
        int running;
        int endings;
        boolean isStopped;
        /** Whether workers get what is no message of the pool. */
        boolean hasStranger;
        /** Whether a worker may stop with messages that wait for it. */
        boolean mayLose;
        /** How many nodes of the engine a worker may have: the one that asks whether it is still idle. */
        int probes;

        Work(Play play) {
            this.play = play;
            hasWeights = play.chance(50);
            hasKeys = play.chance(60);
            failing = play.chance(50) ? 0 : 20;
            mayLose = failing > 0;
        }

        static int weight(Msg message) {
            return 1 + message.number % UNITS;
        }

        static int key(Msg message) {
            return message.number % 2;
        }

        PoolOptions<Msg> options() {
            var least = play.upTo(2);
            var capacity = play.chance(50) ? 6 : play.upTo(3);
            var options =
                    new PoolOptions<Msg>(least, least + play.random.nextInt(2), Play.MILLI,
                            play.upTo(Math.min(2, capacity)), capacity, overflow(), UNITS,
                            message -> weight(message), Work::key, this::with);
            probes = options.most() > least ? 1 : 0;
            var plain = PoolOptions
                    .<Msg>scaling(options.least(), options.most(), options.idle(), options.capacity())
                    .withGrowth(options.growth()).withOverflow(options.overflow()).withActors(this::with);
            var weighed = hasWeights ? plain.withWeight(UNITS, options.weight()) : plain;
            return hasKeys ? weighed.withKey(options.key()) : weighed;
        }

        private OverflowPolicy overflow() {
            return switch (play.random.nextInt(6)) {
                case 0, 1 -> OverflowPolicy.reject();
                case 2, 3 -> OverflowPolicy.dropOldest();
                case 4 -> OverflowPolicy.block();
                default -> OverflowPolicy.block(Play.MILLI);
            };
        }

        private ActorBuilder with(ActorBuilder builder) {
            var hooked = builder.onStart((ActorContext<Msg, ?> context) -> workers.add(context.self()))
                    .onExit(() -> endings++);
            return switch (play.random.nextInt(3)) {
                case 0 -> hooked;
                case 1 -> hooked.onFailure(FailurePolicy.restart(100, Duration.ofMinutes(1)));
                default -> hooked.onFailure(FailurePolicy.stop());
            };
        }

        int handle(Msg message) throws InterruptedException {
            message.begun = true;
            var isOwn = !message.sender.equals(FOREIGN);
            if (isOwn) {
                begin(message);
            }
            try {
                play.pause();
                if (play.random.nextInt(100) < failing) {
                    throw new IllegalStateException("as wanted");
                }
                play.pause();
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                message.returned++;
                return message.number;
            } catch (InterruptedException | IllegalStateException failed) {
                message.threw++; // no worker is interrupted for an ask that is over, only by a stop
                throw failed;
            } finally {
                if (isOwn) {
                    end(message);
                }
            }
        }

        /** A worker that has a message is given no other one, which an idle worker could handle. */
        private void checkNothingWaitsBehind(Msg message) {
            if (hasWeights || hasKeys || hasStranger || isStopped) {
                return;
            }
            var self = ActorSystem.currentActor().orElseThrow();
            for (var worker : workers) {
                play.check(!worker.name().equals(self) || worker.mailboxSize() <= probes,
                        "a message waits behind " + message + " of " + self);
            }
        }

        private void begin(Msg message) {
            if (++running > 1) {
                play.saw("two messages at a time");
            }
            if (hasWeights) {
                units += weight(message);
                play.check(units <= UNITS, units + " units are taken, with " + message);
            }
            if (hasKeys) {
                play.check(keys.add(key(message)), "two messages of a key at a time, with " + message);
                var before = latest.put(message.sender + "/" + key(message), message.number);
                play.check(before == null || before < message.number,
                        "out of order, after " + before + ": " + message);
            }
        }

        private void end(Msg message) {
            checkNothingWaitsBehind(message);
            running--;
            if (hasWeights) {
                units -= weight(message);
            }
            if (hasKeys) {
                keys.remove(key(message));
            }
        }
    }

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public List<String> sometimes() {
        return List.of("two messages at a time", "expired", "the pool has grown", "a worker has ended",
                "all is over", "lost: STOPPED_BEFORE_TURN", "lost: CLOSING", "lost: DROPPED_OLDEST",
                "lost: FULL", "lost: BLOCK_TIMEOUT", "a sender has waited for room");
    }

    @Override
    public void play(Play play) {
        var work = new Work(play);
        var options = work.options();
        WorkerPool<Msg, Integer> pool =
                WorkerPool.openWithReturn(play.scope, "pool", options, message -> work.handle(message));
        play.ledger.alsoCountsApart(pool::counters);
        play.atRest(() -> {
            if (!work.isStopped) {
                play.saw("all is over");
                play.check(pool.waiting() == 0 && pool.busy() == 0 && work.running == 0,
                        "at rest, but " + pool);
                play.check(pool.size() >= options.least() && pool.size() <= options.most(),
                        "at rest: " + pool);
            }
        });
        for (int i = 0; i < 2; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 5; n++) {
                    play.pause();
                    var isFull = pool.waiting() >= options.capacity();
                    var message = new Msg(sender, n);
                    send(play, pool, message);
                    if (isFull && message.reported == 0
                            && options.overflow().equals(OverflowPolicy.block())) {
                        play.saw("a sender has waited for room");
                    }
                    if (pool.size() > options.least()) {
                        play.saw("the pool has grown");
                    }
                    play.check(pool.size() <= options.most(), "too many workers: " + pool);
                }
            });
        }
        if (play.chance(40)) {
            play.clock(4);
        }
        if (play.chance(50)) {
            work.hasStranger = true;
            play.spawn("stranger", () -> stranger(play, work));
        }
        if (play.chance(40)) {
            work.mayLose = true;
            work.hasStranger = true;
            play.spawn("stopper", () -> {
                pauses(play);
                if (!work.workers.isEmpty()) {
                    work.workers.get(play.random.nextInt(work.workers.size())).askExit();
                }
            });
        }
        if (play.chance(30)) {
            play.spawn("closer", () -> {
                pauses(play);
                work.isStopped = true;
                var deadline =
                        List.of(Duration.ZERO, Play.MILLI, Duration.ofMinutes(1)).get(play.random.nextInt(3));
                // A message whose send has not returned by now may still come too late.
                var accepted =
                        play.ledger.offered.stream().filter(each -> each.accepted && each.reported == 0)
                                .toList();
                var forced = pool.stop(deadline).forced();
                // Nothing has to be forced if the time was over before a worker was free.
                play.check(forced || deadline.compareTo(Play.MILLI) <= 0 || work.mayLose
                        || accepted.stream().allMatch(each -> each.reported == 0 || each.dropped),
                        "what waited was not handled: " + accepted + ", " + pool.counters());
            });
        }
        play.ledger.atTheEnd(() -> {
            play.check(pool.size() == 0, "workers are left: " + pool);
            if (work.endings > 0) {
                play.saw("a worker has ended");
            }
        });
    }

    private static void pauses(Play play) {
        for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
            play.pause();
        }
    }

    private static void send(Play play, WorkerPool<Msg, Integer> pool, Msg message) {
        play.ledger.offered.add(message);
        switch (play.random.nextInt(3)) {
            case 0 -> message.answer = pool.sendMessageReturn(message);
            case 1 -> {
                message.deadline = play.schedule.time().nanoTime() + Play.MILLI.toNanos();
                message.answer = pool.ask(message, Play.MILLI);
            }
            default -> pool.sendMessage(message);
        }
        message.accepted = true; // unless it was reported by now
    }

    /** Sends to the workers themselves. */
    private static void stranger(Play play, Work work) {
        for (int n = 0; n < 4; n++) {
            play.pause();
            if (!work.workers.isEmpty()) {
                var message = new Msg(FOREIGN, n);
                play.ledger.offered.add(message);
                work.workers.get(play.random.nextInt(work.workers.size())).sendMessage(message);
                message.accepted = true;
            }
        }
    }
}
