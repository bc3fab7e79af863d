package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.Cell;
import io.fibry.testing.Seeds;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MemberTableTest {
    private final ReferenceQueue<Cell> collected = new ReferenceQueue<>();

    private static List<Cell> cells(ActorScope scope, int count) {
        var cells = new ArrayList<Cell>();
        for (int i = 0; i < count; i++) {
            cells.add((Cell) scope.anonymous().newActor((String text) -> {
            }));
        }
        return cells;
    }

    private static List<Cell> listed(MemberTable table) {
        var all = new ArrayList<Member>();
        table.addTo(all);
        return all.stream().map(Member::get).toList();
    }

    /** The hashes are chosen so that most entries collide, also around the end of the table. */
    @Test
    void isTheSetOfWhatWasAddedAndNotRemoved() {
        try (var scope = ActorSystem.open("table")) {
            var cells = cells(scope, 40);
            Seeds.playAll("-Dtest=MemberTableTest", 300, seed -> {
                var random = new Random(seed);
                var hashes = random.nextInt(1, 12);
                var table = new MemberTable();
                var expected = new HashMap<Cell, Member>();
                for (int step = 0; step < 200; step++) {
                    var cell = cells.get(random.nextInt(cells.size()));
                    var hash = (cells.indexOf(cell) % hashes - 2) << 4;
                    play(table, expected, cell, hash, random.nextInt(8));
                    assertThat(table.size()).isEqualTo(expected.size());
                }
                assertThat(listed(table)).containsExactlyInAnyOrderElementsOf(expected.keySet());
                expected.forEach((cell, member) -> table.remove(cell, member.hash));
                assertThat(listed(table)).isEmpty();
                assertThat(table.size()).isZero();
            });
        }
    }

    @Test
    void nothingIsLostIfThePredicateOfARemovalThrows() {
        try (var scope = ActorSystem.open("table")) {
            var cells = cells(scope, 5);
            var table = new MemberTable();
            cells.forEach(cell -> table.add(new Member(cell, collected, cells.indexOf(cell) << 4)));
            assertThatThrownBy(() -> table.removeIf(member -> {
                if (member.refersTo(cells.get(3))) {
                    throw new StackOverflowError("as planned");
                }
                return true;
            })).isInstanceOf(StackOverflowError.class);
            assertThat(listed(table)).containsExactlyInAnyOrderElementsOf(cells);
            assertThat(table.size()).isEqualTo(5);
        }
    }

    private void play(MemberTable table, Map<Cell, Member> expected, Cell cell, int hash, int what) {
        switch (what) {
            case 0 -> {
                table.remove(cell, hash);
                expected.remove(cell);
            }
            case 1 -> {
                var member = expected.remove(cell);
                if (member != null) {
                    table.remove(member);
                }
            }
            case 2 -> {
                table.removeIf(member -> member.hash == hash);
                expected.values().removeIf(member -> member.hash == hash);
            }
            default -> {
                if (!expected.containsKey(cell)) {
                    var member = new Member(cell, collected, hash);
                    expected.put(cell, member);
                    table.add(member);
                }
            }
        }
    }

    @Test
    void anEntryThatIsHeldIsStillTheOnlyOne() {
        try (var scope = ActorSystem.open("table")) {
            var table = new MemberTable();
            for (var cell : cells(scope, 10)) {
                table.hold(cell, 7 << 4, collected); // not there yet
                table.add(new Member(cell, collected, 7 << 4));
                table.hold(cell, 7 << 4, collected);
                table.hold(cell, 7 << 4, collected);
            }
            assertThat(listed(table)).hasSize(10).doesNotHaveDuplicates();
            for (var cell : listed(table)) {
                table.remove(cell, 7 << 4);
            }
            assertThat(table.size()).isZero();
        }
    }

    @Test
    void actorsThatManyThreadsMakeAndStopAreListedWhileTheyLive() throws Exception {
        try (var scope = ActorSystem.open("table")) {
            var members = new Members();
            var threads = new ArrayList<Thread>();
            var start = new CountDownLatch(1);
            var kept = new ArrayList<Cell>();
            for (int i = 0; i < 4; i++) {
                var mine = cells(scope, 2_000);
                kept.addAll(mine.subList(0, 500));
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        start.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    mine.forEach(cell -> members.add(cell, false));
                    mine.subList(500, 2_000).forEach(members::remove);
                }));
            }
            start.countDown();
            for (var thread : threads) {
                thread.join();
            }
            assertThat(members.size()).isEqualTo(2_000);
            assertThat(members.cells()).containsExactlyInAnyOrderElementsOf(kept);
            kept.forEach(members::remove);
            assertThat(members.isEmpty()).isTrue();
        }
    }
}
