package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.scope.Builder;
import io.fibry.time.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What lanes take of what has overflown, in which order, by lanes that never run. What runs beside them is in other tests. */
class OverflowTest {
    private static final int BACKLOGS = 64;

    private final List<Object> handled = new ArrayList<>();
    private final Queue<Runnable> helpers = new ArrayDeque<>();
    private boolean noMemory;
    private final Lanes lanes = new Lanes(this::start, new ManualTime(), true, YieldingHandoff.INSTANCE, 2);
    private final Overflow overflow = lanes.overflow;
    private final ActorScope scope = ActorSystem.open("overflow");
    private final Lane lane = lane();
    private final Lane other = lane();

    private void start(Runnable helper) {
        if (noMemory) {
            throw new OutOfMemoryError("no thread");
        }
        helpers.add(helper);
    }

    private Lane lane() {
        return new Lane(lanes, 0);
    }

    private Turn turn(Object message) {
        var cell =
                new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, told) -> handled.add(told));
        var node = new MessageNode(message);
        assertThat(cell.offer(node)).isEqualTo(Mailbox.Offer.WAKE);
        return new Turn(cell, node);
    }

    private List<Job> add(Lane from, int count) {
        var turns = new ArrayList<Job>();
        for (int i = 0; i < count; i++) {
            turns.add(turn(i));
            overflow.add(turns.getLast(), from);
        }
        return turns;
    }

    private Backlog leave(Lane leaver) {
        var left = Objects.requireNonNull(leaver.backlog);
        left.makeOldDue();
        overflow.release(leaver);
        return left;
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void aLaneTakesItsNewestOthersTheOldest() {
        var turns = add(lane, 3);
        assertThat(overflow.take(lane)).isSameAs(turns.get(2));
        assertThat(overflow.take(other)).isSameAs(turns.get(0));
        assertThat(overflow.take(lane)).isSameAs(turns.get(1));
        assertThat(overflow.take(lane)).isNull();
        assertThat(overflow.take(other)).isNull();
    }

    @Test
    void oneOf64IsTheOldestWhateverIsAddedAfterIt() {
        var oldest = add(lane, 1).getFirst();
        for (int i = 0; i < BACKLOGS; i++) {
            var newest = add(lane, 1).getFirst();
            var taken = overflow.take(lane);
            if (taken == oldest) {
                return;
            }
            assertThat(taken).isSameAs(newest);
        }
        assertThat(oldest).as("taken").isNull();
    }

    @Test
    void whatOthersHaveIsTakenTooByALaneThatHasEnoughToDo() {
        var theirs = add(other, 1).getFirst();
        for (int i = 0; i < BACKLOGS * BACKLOGS; i++) {
            add(lane, 1);
            if (overflow.take(lane) == theirs) {
                return;
            }
        }
        assertThat(theirs).as("taken").isNull();
    }

    @Test
    void theFirstTakenOfWhatALaneHasLeftIsTheOldestThenTheNewest() {
        var turns = add(lane, 3);
        leave(lane);
        assertThat(overflow.take(other)).isSameAs(turns.get(0));
        assertThat(overflow.take(other)).isSameAs(turns.get(2));
        assertThat(other.backlog).as("taken over").isNotNull();
        assertThat(overflow.take(lane)).as("of another's").isSameAs(turns.get(1));
    }

    @Test
    void aLaneResumesWhatNobodyHasTakenOver() {
        add(lane, 2);
        var left = Objects.requireNonNull(lane.backlog);
        var owner = left.ownerNumber();
        leave(lane);
        assertThat(overflow.resume(lane, left, owner)).isTrue();
        assertThat(lane.backlog).isSameAs(left);
    }

    @Test
    void aLaneDoesNotResumeWhatAnotherHasOrHasLeftAgain() {
        add(lane, 3);
        var left = Objects.requireNonNull(lane.backlog);
        var owner = left.ownerNumber();
        leave(lane);
        overflow.take(other);
        assertThat(overflow.resume(lane, left, owner)).as("another has it").isFalse();
        leave(other);
        assertThat(overflow.resume(lane, left, owner)).as("another had it").isFalse();
        assertThat(overflow.take(lane())).as("it is anybody's").isNotNull();
    }

    @Test
    void whatIsAddedWhileAnotherFindsTheBacklogEmptyIsFound() {
        add(lane, 1);
        overflow.take(lane);
        var me = Thread.currentThread();
        var late = new ArrayList<Job>();
        var isFirst = new AtomicBoolean(true);
        Interleave.hook(() -> {
            if (Thread.currentThread() == me && isFirst.getAndSet(false)) {
                late.addAll(add(lane, 1));
            }
        });
        try {
            assertThat(overflow.take(other)).isSameAs(late.getFirst());
        } finally {
            Interleave.hook(() -> {
            });
        }
    }

    @Test
    void whatNoBacklogIsFreeForIsEverybodys() {
        var all = new ArrayList<Job>();
        for (int i = 0; i < BACKLOGS + 1; i++) {
            all.addAll(add(lane(), 1));
        }
        var taken = new ArrayList<Job>();
        for (int i = 0; i < BACKLOGS + 1; i++) {
            taken.add(overflow.take(other));
        }
        assertThat(taken).containsExactlyInAnyOrderElementsOf(all);
        assertThat(overflow.take(other)).isNull();
    }

    @Test
    void whatIsEverybodysDoesNotKeepLanesFromBacklogs() {
        var waiting = new ArrayList<Job>();
        for (int i = 0; i < BACKLOGS; i++) {
            waiting.addAll(add(lane(), 1));
        }
        for (int i = 0; i < 100 * BACKLOGS; i++) {
            add(lane, 1); // has none
            waiting.remove(overflow.take(other));
        }
        assertThat(waiting).isEmpty();
    }

    @Test
    void aBacklogThatHasBeenLargeWorksOn() {
        var many = add(lane, 5_000);
        for (int i = 0; i < many.size(); i++) {
            assertThat(overflow.take(lane)).isNotNull();
        }
        var left = leave(lane);
        assertThat(left.acquire()).isTrue();
        lane.backlog = left;
        var turns = add(lane, 100);
        assertThat(left.steal()).isSameAs(turns.getFirst());
        assertThat(left.pop()).isSameAs(turns.getLast());
    }

    @Test
    void helpIsSentForWhenSomethingIsLeftAndNoMoreThanThereAreProcessors() {
        add(lane, 10);
        assertThat(helpers).hasSize(2);
        overflow.dispatch.countArrival();
        overflow.take(other);
        assertThat(helpers).hasSize(3);
        overflow.take(other);
        assertThat(helpers).as("two are on their way").hasSize(3);
    }

    @Test
    void withoutMemoryForAHelperATurnWaitsForTheNextOne() {
        noMemory = true;
        var turns = add(lane, 2);
        assertThat(helpers).isEmpty();
        noMemory = false;
        assertThat(overflow.take(lane)).isSameAs(turns.getLast());
        assertThat(helpers).hasSize(1);
    }

    @Test
    void aTurnIsInWhateverKeepsHelpersFromStarting() {
        var broken = new Lanes(helper -> {
            throw new LinkageError("broken");
        }, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);
        var mine = new Lane(broken, 0);
        for (var turn : add(lane, 2)) {
            broken.overflow.add(turn, mine); // who hears of a failure puts the turn elsewhere
        }
        assertThat(broken.overflow.take(mine)).isNotNull();
        assertThat(broken.overflow.take(mine)).isNotNull();
    }

    @Test
    void whoHasNothingTakesSomeOfTheOldestAtOnce() {
        var turns = add(lane, 100);
        assertThat(overflow.take(other)).isSameAs(turns.get(0));
        assertThat(Objects.requireNonNull(other.backlog).size()).as("half of them, but no more than 15")
                .isEqualTo(15);
        var taken = new ArrayList<Job>();
        for (var lanes = List.of(other, lane, lane()); taken.size() < 99;) {
            taken.add(Objects.requireNonNull(overflow.take(lanes.get(taken.size() % lanes.size()))));
        }
        taken.add(turns.get(0));
        assertThat(taken).containsExactlyInAnyOrderElementsOf(turns);
        assertThat(overflow.take(lane)).isNull();
    }

    @Test
    void whatWasTakenAlongIsAnybodysToo() {
        var turns = add(lane, 4);
        assertThat(overflow.take(other)).isSameAs(turns.get(0));
        assertThat(overflow.take(lane)).isSameAs(turns.get(3));
        assertThat(overflow.take(lane)).isSameAs(turns.get(2));
        assertThat(overflow.take(lane)).as("taken along by the other").isSameAs(turns.get(1));
    }

    @Test
    void whoTakesAnOldTurnBesideItsOwnTakesNoMore() {
        var old = add(lane, 100);
        add(other, 200);
        for (int i = 0; i < BACKLOGS * BACKLOGS; i++) {
            var before = Objects.requireNonNull(other.backlog).size();
            var taken = overflow.take(other);
            if (old.contains(taken)) {
                assertThat(other.backlog.size()).isEqualTo(before);
                return;
            }
            add(other, 1);
        }
        throw new AssertionError("never took an old one");
    }

    @Test
    void whoTakesNothingAlongNeedsNoBacklog() {
        var turn = add(lane, 1).getFirst();
        assertThat(overflow.take(other)).isSameAs(turn);
        assertThat(other.backlog).isNull();
    }

    private List<Job> addShared(int count) {
        var turns = new ArrayList<Job>();
        for (int i = 0; i < count; i++) {
            turns.add(turn(i));
            turns.getLast().markShared();
            overflow.addShared(turns.getLast());
        }
        return turns;
    }

    @Test
    void helpersAreSentForWhatCallersMayRun() {
        var turns = addShared(3);
        assertThat(helpers).as("no more than there are processors").hasSize(2);
        overflow.dispatch.countArrival();
        assertThat(overflow.take(lane)).isSameAs(turns.get(0));
        assertThat(helpers).as("who leaves some sends for another").hasSize(3);
        assertThat(overflow.take(lane)).isSameAs(turns.get(1));
        assertThat(overflow.take(other)).isSameAs(turns.get(2));
    }

    @Test
    void whatItsCallerHasRunIsPassedOver() {
        var turns = addShared(3);
        turns.get(0).run();
        turns.get(1).run();
        overflow.dispatch.countArrival();
        assertThat(overflow.take(lane)).isSameAs(turns.get(2));
        assertThat(overflow.take(lane)).isNull();
        assertThat(helpers).as("nothing is left to help with").hasSize(2);
    }

    @Test
    void whatCallersMayRunAndWhatHasOverflownGetTheirTurn() {
        add(lane, 2 * BACKLOGS);
        addShared(2 * BACKLOGS);
        int shared = 0;
        for (int i = 0; i < BACKLOGS; i++) {
            if (Objects.requireNonNull(overflow.take(lane())).mayBeRunByOthers()) {
                shared++;
            }
        }
        assertThat(shared).isBetween(1, BACKLOGS - 1);
    }

    @Test
    void whoseTurnNobodyCanStartHearsOfIt() {
        noMemory = true;
        var turn = turn(0);
        assertThatThrownBy(() -> overflow.addShared(turn)).isInstanceOf(OutOfMemoryError.class);
        assertThat(overflow.take(lane)).as("it is nowhere").isNull();
        noMemory = false;
        addShared(1);
        assertThat(helpers).hasSize(1);
    }

    @Test
    void whoGetsNoHelperStartsWhatOthersHaveLeftToIt() {
        var isFirst = new AtomicBoolean(true);
        var late = new AtomicReference<Overflow>();
        late.set(new Lanes(helper -> {
            if (isFirst.getAndSet(false)) {
                late.get().addShared(turn("another's"));
                throw new OutOfMemoryError("no thread");
            }
            helpers.add(helper);
        }, new ManualTime(), true, YieldingHandoff.INSTANCE, 1).overflow);
        late.get().addShared(turn("mine"));
        assertThat(helpers).as("a thread for each").hasSize(2);
        helpers.forEach(helper -> CompletableFuture.runAsync(helper, Thread::startVirtualThread).join());
        assertThat(handled).containsExactlyInAnyOrder("mine", "another's");
    }

    @Test
    void aHelperThatRanAlthoughItsStartFailedCountsOnce() {
        var fails = new AtomicBoolean(true);
        var late = new Lanes(helper -> {
            if (fails.get()) {
                CompletableFuture.runAsync(helper, Thread::startVirtualThread).join();
                throw new StackOverflowError("too late");
            }
            helpers.add(helper);
        }, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);
        late.overflow.addShared(turn(0));
        assertThat(handled).as("by the helper").containsExactly(0);
        fails.set(false);
        late.overflow.addShared(turn(1));
        late.overflow.addShared(turn(2));
        assertThat(helpers).as("one is on its way").hasSize(1);
    }
}
