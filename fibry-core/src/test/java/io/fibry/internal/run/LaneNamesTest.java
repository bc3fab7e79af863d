package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.scope.Builder;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The name of a lane's thread, step by step. The scenario {@code lane-rescue} lets the steps race. */
class LaneNamesTest {
    private final List<Runnable> started = new ArrayList<>();
    private final Lanes lanes = new Lanes(started::add, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);
    private final ActorScope scope = ActorSystem.open("names");
    private final List<String> seen = new ArrayList<>();

    private Turn turn(Runnable handler) {
        var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, received) -> {
            handler.run();
            return received;
        });
        var node = new MessageNode("hello");
        assertThat(cell.offer(node)).isEqualTo(Mailbox.Offer.WAKE);
        return new Turn(cell, node);
    }

    private static Lane here() {
        return (Lane) Objects.requireNonNull(Current.runner());
    }

    private void sees() {
        var turn = Objects.requireNonNull(here().job);
        seen.add(Thread.currentThread().getName().replace(turn.ownerName(), "me"));
    }

    /** Puts what the lane runs after the handler that calls. */
    private void next(Runnable handler) {
        here().put(turn(handler));
    }

    private void run(Runnable first) throws InterruptedException {
        var lane = new Lane(lanes, turn(first), 0);
        var thread = Thread.ofVirtual().name(Lane.THREAD).start(lane);
        thread.join();
    }

    private void twoLooks() {
        lanes.look();
        lanes.look();
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Promise("29.3")
    @Test
    void aHandlerThatIsThereAtTwoLooksGivesItsThreadTheNameOfItsActorUntilItEnds() throws Exception {
        run(() -> {
            next(() -> {
            });
            sees();
            twoLooks();
            sees();
            lanes.look();
            sees();
            next(this::sees);
        });
        assertThat(seen).containsExactly("fibry", "fibry-me", "fibry-me", "fibry");
    }

    @Test
    void theUpperActorGivesItsNameMeanwhile() throws Exception {
        run(() -> {
            next(() -> {
            });
            twoLooks();
            sees();
            turn(() -> {
                sees();
                next(() -> {
                });
                twoLooks();
                sees();
            }).run(); // as one that its sender runs
            sees();
            here().nameForWait();
            sees();
        });
        assertThat(seen.subList(0, 1)).containsExactly("fibry-me");
        assertThat(seen.get(1)).startsWith("fibry-").isNotEqualTo("fibry-me");
        assertThat(seen.subList(2, 5)).containsExactly("fibry-me", "fibry", "fibry-me");
    }

    @Test
    void aThreadThatHasMovedOnIsGivenNoName() throws Exception {
        run(() -> {
            here().nameStuck(here().progress() - 1);
            sees();
            here().nameStuck(here().progress());
            sees();
        });
        assertThat(seen).as("and it can be later").containsExactly("fibry", "fibry-me");
    }

    @Test
    void aNameThatWasGivenTooLateIsTakenBackAtTheNextLook() throws Exception {
        var gone = turn(() -> {
        });
        run(() -> {
            next(() -> {
            });
            lanes.look();
            var mine = here().job;
            here().job = gone; // what the monitor may still see
            lanes.look();
            here().job = mine;
            seen.add(Thread.currentThread().getName().replace(gone.cell.name(), "gone"));
            lanes.look();
            sees();
        });
        assertThat(seen).containsExactly("fibry-gone", "fibry");
    }

    @Promise("29.3")
    @Test
    void aWaitOfTheLibraryGivesTheNameUntilTheTurnEnds() throws Exception {
        run(() -> {
            here().nameForWait();
            sees();
            here().nameForWait();
            twoLooks();
            sees();
            next(this::sees);
        });
        assertThat(seen).containsExactly("fibry-me", "fibry-me", "fibry");
    }

    @Test
    void aRehearsalGivesTheMonitorItsNameBack() {
        var before = Thread.currentThread().getName();
        lanes.rehearse(turn(() -> {
        }));
        assertThat(Thread.currentThread().getName()).isEqualTo(before);
    }

    /** Runs this once, at one of the marked points that the calling thread reaches. */
    private static void interrupt(int point, Runnable step, Runnable run) {
        var mine = Thread.currentThread();
        var reached = new AtomicInteger();
        Interleave.hook(() -> {
            if (Thread.currentThread() == mine && reached.getAndIncrement() == point) {
                step.run();
            }
        });
        try {
            run.run();
        } finally {
            Interleave.hook(() -> {
            });
        }
        assertThat(reached.get()).isGreaterThan(point);
    }

    @Test
    void anActorThatWaitsWhileTheThreadIsGivenAnotherNameHasItsOwnInTheEnd() throws Exception {
        var gone = turn(() -> {
        });
        for (int point = 0; point < 4; point++) {
            var here = point;
            run(() -> {
                var lane = here();
                var mine = lane.job;
                lane.job = gone; // what the namer may still see
                interrupt(here, () -> {
                    lane.job = mine;
                    lane.nameForWait();
                }, () -> lane.nameStuck(lane.progress()));
                sees();
            });
        }
        assertThat(seen).containsExactly("fibry-me", "fibry-me", "fibry-me", "fibry-me");
    }

    @Test
    void aTurnThatEndsWhileItsNameIsBeingSetTakesItAlong() throws Exception {
        for (int point = 1; point < 4; point++) {
            var here = point;
            run(() -> {
                var lane = here();
                interrupt(here, () -> lane.dropName(null), () -> lane.nameStuck(lane.progress()));
                sees();
                lane.nameForWait();
                sees();
            });
        }
        assertThat(seen).containsExactly("fibry", "fibry-me", "fibry", "fibry-me", "fibry", "fibry-me");
    }

    @Test
    void aNamerThatIsHeldUpHoldsUpNoLook() throws Exception {
        var runs = new ArrayList<Runnable>();
        lanes.namedOn(runs::add);
        run(() -> {
            next(() -> {
            });
            twoLooks();
            assertThat(started).as("what waited in the slot").hasSize(1);
            sees();
            assertThat(lanes.look()).isTrue();
            assertThat(runs).as("one run at a time").hasSize(1);
            runs.removeFirst().run();
            sees();
            lanes.look();
            runs.removeFirst().run();
            sees();
        });
        assertThat(lanes.look()).isFalse();
        assertThat(seen).containsExactly("fibry", "fibry-me", "fibry-me");
    }

    @Test
    void aNamerThatGetsNoThreadTriesAgain() throws Exception {
        var runs = new ArrayList<Runnable>();
        var refusals = new AtomicInteger(2);
        lanes.namedOn(run -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no thread");
            }
            runs.add(run);
        });
        run(() -> {
            next(() -> {
            });
            twoLooks();
            assertThat(lanes.look()).isTrue();
            assertThat(runs).isEmpty();
            lanes.look();
            runs.removeFirst().run();
            sees();
        });
        assertThat(seen).containsExactly("fibry-me");
    }
}
