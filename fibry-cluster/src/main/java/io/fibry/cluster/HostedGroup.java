package io.fibry.cluster;

import io.fibry.ActorScope;
import io.fibry.cluster.ClusterGroup.Kind;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.stream.Verdict;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SharedKeys.WorkOfKeys;
import io.fibry.internal.keyed.SliceHomes;
import io.fibry.internal.keyed.SliceWork.HomeRow;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actors of a group on this node. Each slice has an actor, the <em>courier</em>, that puts what has come for the slice
 * into the mailboxes of the keys, in order, and may wait there for room. Senders of this node go to the actors themselves,
 * through the {@link SliceGates gates}. The courier ends the actors when all of them are out, so nothing comes after that.
 *
 * <pre>
 *   halted[slice]:  0 -> 1   the actor of the member: this node does not see the majority, so no message of the slice begins any more
 *                   1 -> 0   the same actor: this node is the home of the slice again, after all actors have ended
 *   drains[slice]:  rises whenever an end of the slice begins; only the newest one says that all actors have ended
 *   isHome[slice]:  0 -> 1   the actor of the member: this node is the home, and the courier is done with all ends before
 *                   1 -> 0   the courier: what it is asked for from now on comes after the end
 * </pre>
 */
final class HostedGroup<K, M, R> extends Hosted {
    private static final Logger LOGGER = LoggerFactory.getLogger(HostedGroup.class);
    private static final Duration COURIERS_IDLE = Duration.ofMinutes(1);

    private final ClusterGroup<K, M, R> group;
    private final boolean isSingle;
    private final GroupCodec<K, M, R> codec;
    private final SliceOfKey slices;
    private final KeyedActors<K, M, R> actors;
    private final SharedKeys keys;
    private final Consumer<Input> member;
    private final Rows rows;
    private final LetterReader<M, R> letters;
    private final KeyedActors<Integer, Task, Void> couriers;
    private final AtomicIntegerArray halted;
    private final AtomicIntegerArray drains;
    private final AtomicIntegerArray isHome;
    /** How many messages have come for each slice. All senders count, without an atomic step: some may be missed. */
    private final AtomicIntegerArray came;
    /** How many there were at the last look. Used by the actor of the member alone. */
    private final int[] cameBefore;
    /** How many had come by then since the look before. Used by the actor of the member alone. */
    private NodeLoad load = new NodeLoad(1, 0);
    /** Whether a send to the actors returns soon. If it may not, senders give their messages to the member. */
    private final boolean letsSendersIn;
    private final SliceGates gates;
    /** The work of the actors of moving slices when they were last told to hurry. Used by the actor of the member alone. */
    private final Map<Integer, WorkOfKeys> works = new HashMap<>();

    /** Completes when the actors of the slices halted last have ended. Written by the actor of the member, its only reader. */
    private CompletableFuture<Void> halting = new CompletableFuture<>();

    /** What a courier does for a slice. */
    private record Task(int slice, Runnable code) {
    }

    /** Tells where a database says that this node is the home of a slice. */
    @FunctionalInterface
    interface Rows {
        Optional<HomeRow> of(int slice, byte[] entry);
    }

    HostedGroup(ActorScope scope, ClusterGroup<K, M, R> group, GroupCodec<K, M, R> codec,
            SliceOfKey slices, KeyedActors<K, M, R> actors, SharedKeys keys, LetterContext context,
            Consumer<Input> member, Function<UUID, ClusterNode> nodes, BooleanSupplier serves, Rows rows) {
        super(new DeliveredAsks(group.name(), member, nodes, scope.time(), true));
        this.group = group;
        isSingle = group.kind().equals(Optional.of(Kind.SINGLETON));
        this.codec = codec;
        this.slices = slices;
        this.actors = actors;
        this.keys = keys;
        this.member = member;
        this.rows = rows;
        // mutant: gate-is-open-without-a-lease
        keys.gate(serves);
        letters = new LetterReader<>(codec, context, asks);
        halted = new AtomicIntegerArray(slices.slices());
        drains = new AtomicIntegerArray(slices.slices());
        isHome = new AtomicIntegerArray(slices.slices());
        came = new AtomicIntegerArray(slices.slices());
        cameBefore = new int[slices.slices()];
        letsSendersIn = keys.letsSendersIn();
        gates = new SliceGates(slices.slices());
        couriers = scope.named("couriers of " + group.name()).keyed(Task::slice).idle(COURIERS_IDLE)
                .newActorsFrom(slice -> (self, task) -> task.code.run());
    }

    /** Returns the homes of the slices, as this node sees them. */
    SliceHomes homes(GroupSender<K, M, R> sender) {
        return new SliceHomes() {
            @Override
            public int slices() {
                return slices.slices();
            }

            @Override
            public CompletableFuture<?> ask(String id, Object message, Duration limit) {
                return sender.askIdentified(id, message, limit);
            }

            @Override
            public CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask) {
                return HostedGroup.this.askHere(slice, ask);
            }
        };
    }

    /** Asks the actors of this node, in the order of the messages of the slice, if this node is its home. Called by any thread. */
    CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask) {
        var answer = new CompletableFuture<Object>();
        if (!couriers.sendMessage(new Task(slice, () -> askHere(slice, ask, answer)))) {
            answer.completeExceptionally(notHome(slice));
        }
        return answer;
    }

    // ---- Senders of this node. ----

    ClusterGroup<K, M, R> group() {
        return group;
    }

    /** Lets a sender go to the actors of a slice; returns false if it may not. If it may, it {@link #leave leaves} next. */
    boolean enter(int slice) {
        var isIn = gates.enter(slice);
        if (isIn) {
            count(slice);
        }
        return isIn;
    }

    private void count(int slice) {
        came.setPlain(slice, came.getPlain(slice) + 1);
    }

    /** Lets a sender out. If this node was cut off meanwhile, its message may have made an actor too late: it is ended now. */
    void leave(int slice) {
        try {
            if (halted.get(slice) == 1) {
                var unused = keys.end(key -> slices.of(key) == slice, false);
            }
        } finally {
            gates.leave(slice);
        }
    }

    /** Returns the actors, for a sender that has gone in. */
    KeyedActors<K, M, R> actors() {
        return actors;
    }

    /** Returns the likely reason why the actors of a slice have not taken a message. */
    Cause whyRefused(int slice) {
        return refusal(slice) == Verdict.FULL ? Cause.FULL : Cause.STOPPED;
    }

    private ClusterException notHome(int slice) {
        return new ClusterException(
                "This node is not the home of slice " + slice + " of the group '" + name() + "'");
    }

    // ---- Called by the actor of the member, and without a wait. ----

    /** This node is the home of a slice: the table of homes has this entry. */
    void opened(int slice, byte[] entry) {
        works.remove(slice);
        halted.set(slice, 0);
        isHome.set(slice, 1);
        keys.work().ifPresent(work -> work.begin(slice, rows.of(slice, entry)));
        if (isSingle) {
            couriers.sendMessage(new Task(slice, () -> {
                if (halted.get(slice) == 0) {
                    Single.begin(actors);
                }
            }));
        }
        if (letsSendersIn) {
            gates.open(slice);
        }
    }

    @Override
    void deliver(HomeDelivery delivery) {
        count(delivery.slice());
        asks.come(delivery);
        couriers.sendMessage(new Task(delivery.slice(), () -> put(delivery)));
    }

    @Override
    NodeLoad load() {
        return load;
    }

    /** Returns how many messages have come for each slice since the last call, times a factor. */
    int[] takeLoads(double factor) {
        var loads = new int[cameBefore.length];
        for (int slice = 0; slice < loads.length; slice++) {
            var now = came.get(slice);
            loads[slice] = (int) (Math.max(0, now - cameBefore[slice]) * factor);
            cameBefore[slice] = now;
        }
        load = new NodeLoad(1, (int) Math.min(Integer.MAX_VALUE, IntStream.of(loads).asLongStream().sum()));
        return loads;
    }

    void end(int slice, boolean gently) {
        keys.work().ifPresent(work -> work.end(slice));
        var drain = drains.incrementAndGet(slice);
        works.remove(slice);
        CompletableFuture<Void> isEmpty = gates.close(slice);
        if (!gently) {
            halted.set(slice, 1);
            isEmpty = CompletableFuture.allOf(isEmpty, halting);
        }
        var end = new Task(slice, () -> endAfterAll(slice, gently, drain));
        // mutant: slice-ends-while-a-sender-is-inside
        if (isEmpty.isDone()) {
            couriers.sendMessage(end);
        } else {
            // On a thread of its own: the last sender may have little stack.
            var unused = isEmpty.thenRunAsync(() -> couriers.sendMessage(end), Thread::startVirtualThread);
        }
    }

    /**
     * Ends the actors of slices that were halted, with one look at each key: there may be very many. They end now,
     * since couriers and senders may wait for room; what these put into a mailbox meanwhile ends with its slice.
     */
    void endHalted() {
        var ended = keys.end(key -> halted.get(slices.of(key)) == 1, false); // may throw what keys throw; then the next input tries again
        var halt = halting;
        halting = new CompletableFuture<>();
        var unused = ended.thenRun(() -> halt.complete(null));
    }

    /** Whether no other end of the slice has begun since. */
    boolean isNewest(Input.Drained drained) {
        return drains.get(drained.slice()) == drained.number();
    }

    /** Interrupts the handlers of a slice that have worked on the same message since the last call; returns their keys. */
    List<Object> hurry(int slice) {
        var before = works.get(slice);
        var stuck = before == null ? List.of() : before.interrupt();
        works.put(slice, keys.working(key -> slices.of(key) == slice));
        for (var key : stuck) {
            LOGGER.warn(
                    "The handler of the key {} of the group '{}' holds up the move of its key to another node, and is interrupted. "
                            + "If it takes no notice, the key stays on this node, and a leave of the node fails",
                    key, name());
        }
        return stuck;
    }

    // ---- Couriers. ----

    private void askHere(int slice, Supplier<? extends CompletableFuture<?>> ask,
            CompletableFuture<Object> answer) {
        if (isHome.get(slice) == 0 || halted.get(slice) == 1) {
            answer.completeExceptionally(notHome(slice));
            return;
        }
        CompletableFuture<?> asked;
        try {
            asked = ask.get();
        } catch (Throwable notTaken) { // a mailbox that is full may throw, and so may the program
            answer.completeExceptionally(notTaken);
            return;
        }
        var unused = asked.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        });
    }

    private void endAfterAll(int slice, boolean gently, int drain) {
        if (drains.get(slice) != drain) {
            return; // another end has begun since, which does it all
        }
        isHome.set(slice, 0);
        // mutant: slice-ends-before-its-actors
        var unused = keys.end(key -> slices.of(key) == slice, gently)
                .thenRun(() -> member.accept(new Input.Drained(this, slice, drain)));
    }

    private void put(HomeDelivery delivery) {
        LetterReader.Read<M> letter;
        Object key;
        try {
            letter = letters.read(delivery.body());
            key = codec.key(letter.message());
            if (slices.of(key) != delivery.slice()) {
                throw new ClusterException("the key " + key + " is of the slice "
                        + slices.of(key) + ", and the message came for slice "
                        + delivery.slice()
                        + "; give the group the same keyOf and the same number of slices on all nodes");
            }
        } catch (Throwable notUnderstood) { // keyOf and the constructors of messages are the program's
            letters.refuse(delivery, notUnderstood);
            return;
        }
        // mutant: node-that-is-cut-off-goes-on
        if (halted.get(delivery.slice()) == 1) {
            try {
                keys.refuse(letter.message(), Cause.STOPPED);
            } finally {
                asks.settle(delivery, Verdict.STOPPED);
            }
            return;
        }
        try {
            letters.give(delivery, letter, taken(letter), actors, () -> name() + "[" + key + "]",
                    () -> refusal(delivery.slice()));
        } catch (Throwable notTaken) { // durable actors refuse some keys
            asks.fail(delivery, notTaken);
        }
    }

    /** Returns a message as the actors take it: durable ones take one with an id in an object of theirs, without a key. */
    @SuppressWarnings("unchecked") // the actors take what their own work has made
    private M taken(LetterReader.Read<M> letter) {
        return letter.want() != Want.IDENTIFIED ? letter.message()
                : keys.work().map(work -> (M) work.identified(letter.id(), letter.message()))
                        .orElse(letter.message());
    }

    /** Returns the likely reason why actors have not taken a message; counters and events of this node have the real one. */
    private Verdict refusal(int slice) {
        return halted.get(slice) == 0 && !keys.isStopping() && actors.live() > 0 ? Verdict.FULL
                : Verdict.STOPPED;
    }
}
