package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class HistoryTest {
    /** A register: a number is written, and answered with itself; null reads. */
    record Access(String name, Integer written) {
        static Access write(int value) {
            return new Access("x", value);
        }

        static Access read() {
            return new Access("x", null);
        }
    }

    private static final Model<Integer, Access, Integer> REGISTER = new Model<>() {
        @Override
        public Integer initial() {
            return 0;
        }

        @Override
        public Step<Integer, Integer> apply(Integer state, Access call) {
            return call.written == null ? new Step<>(state, state) : new Step<>(call.written, call.written);
        }

        @Override
        public Object key(Access call) {
            return call.name;
        }
    };

    @Promise("53.10")
    @Test
    void callsThatOverlapMayTakeEffectInAnyOrder() {
        var history = new History<Access, Integer>();
        var write = history.begin(Access.write(1));
        history.begin(Access.read()).end(1);
        write.end(1);
        assertThatCode(() -> history.assertLinearizable(REGISTER)).doesNotThrowAnyException();
        assertThat(history.size()).isEqualTo(2);
    }

    @Promise("53.10")
    @Test
    void anOldValueAfterANewOneIsFound() {
        var history = new History<Access, Integer>();
        var write = history.begin(Access.write(7));
        history.begin(Access.read()).end(7);
        history.begin(Access.read()).end(0);
        write.end(7);
        assertThatThrownBy(() -> history.assertLinearizable(REGISTER)).isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("no order of the calls explains", "the calls are about: x",
                        "the call: Access[name=x, written=null] -> 0",
                        "it was made beside these calls:\n    Access[name=x, written=7] -> 7",
                        "the state before it began may have been:\n    7");
    }

    @Promise("53.10")
    @Test
    void aCallWithoutAnAnswerMayHaveTakenEffectLaterOrNever() {
        for (var read : List.of(0, 5)) {
            var history = new History<Access, Integer>();
            assertThatThrownBy(() -> history.record(Access.write(5), () -> {
                throw new IllegalStateException("planned");
            })).hasMessage("planned");
            history.begin(Access.read()).end(0);
            history.begin(Access.read()).end(read);
            history.assertLinearizable(REGISTER);
            history.begin(Access.read()).end(6);
            assertThatThrownBy(() -> history.assertLinearizable(REGISTER)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("no answer known");
        }
    }

    @Promise("53.10")
    @Test
    void eachKeyIsCheckedByItself() {
        var history = new History<Access, Integer>();
        var other = history.begin(new Access("y", null));
        history.begin(Access.write(3)).end(3);
        other.end(0);
        history.assertLinearizable(REGISTER);
        history.begin(new Access("y", null)).end(3);
        assertThatThrownBy(() -> history.assertLinearizable(REGISTER)).isInstanceOf(AssertionError.class)
                .hasMessageContaining("about: y");
    }

    /** A call of a small random history: its begin and end are places in the order of all begins and ends. */
    private record Made(Access access, int begin, int end, int answer) {
    }

    @Promise("53.10")
    @Test
    void theVerdictIsThatOfTryingAllOrders() {
        var explained = 0;
        for (var seed = 0; seed < 3_000; seed++) {
            var random = new SplittableRandom(seed);
            var history = new History<Access, Integer>();
            var calls = play(random, history);
            var expected = isExplained(calls, 0, new ArrayList<>());
            explained += expected ? 1 : 0;
            var found = true;
            try {
                history.assertLinearizable(REGISTER);
            } catch (AssertionError e) {
                found = false;
            }
            assertThat(found).as("seed %d: %s", seed, calls).isEqualTo(expected);
        }
        assertThat(explained).isBetween(300, 2_700);
    }

    private static List<Made> play(RandomGenerator random, History<Access, Integer> history) {
        var made = new ArrayList<Made>();
        Map<Integer, Runnable> open = new HashMap<>();
        var begun = 0;
        for (var place = 0; begun < 5 || !open.isEmpty(); place++) {
            var at = place;
            if (begun < 5 && (open.isEmpty() || (open.size() < 3 && random.nextBoolean()))) {
                var access = random.nextBoolean() ? Access.read() : Access.write(random.nextInt(1, 3));
                var answer = access.written == null ? random.nextInt(3) : access.written;
                var call = history.begin(access);
                var number = begun++;
                open.put(number, () -> call.end(answer));
                made.add(new Made(access, at, Integer.MAX_VALUE, answer));
            } else {
                var ids = open.keySet().stream().sorted().toList();
                var id = ids.get(random.nextInt(ids.size()));
                open.remove(id).run();
                var call = made.get(id);
                made.set(id, new Made(call.access, call.begin, at, call.answer));
            }
        }
        return made;
    }

    private static boolean isExplained(List<Made> left, int state, List<Made> done) {
        if (done.size() == left.size()) {
            return true;
        }
        for (var call : left) {
            if (done.stream().noneMatch(each -> each == call)
                    && left.stream().allMatch(each -> done.stream().anyMatch(d -> d == each) || each == call
                            || each.end > call.begin)) {
                var step = REGISTER.apply(state, call.access);
                if (step.answer() == call.answer) {
                    var more = new ArrayList<>(done);
                    more.add(call);
                    if (isExplained(left, step.state(), more)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    @Promise("53.10")
    @EveryStrategy
    void anActorIsLinearizable(Strategy strategy) throws Exception {
        var history = new History<String, Integer>();
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).open()) {
            var sum = new int[1];
            var counter = scope.anonymous().newActorWithReturn((String call) -> ++sum[0]);
            var threads = new ArrayList<Thread>();
            for (var number = 0; number < 3; number++) {
                threads.add(Thread.ofVirtual().start(() -> {
                    for (var round = 0; round < 200; round++) {
                        try {
                            history.record("add", () -> counter.apply("add"));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }));
            }
            for (var thread : threads) {
                Waits.on(thread);
            }
        }
        assertThat(history.size()).isEqualTo(600);
        history.assertLinearizable(new Counting());
    }

    private record Counting() implements Model<Integer, String, Integer> {
        @Override
        public Integer initial() {
            return 0;
        }

        @Override
        public Step<Integer, Integer> apply(Integer state, String call) {
            return new Step<>(state + 1, state + 1);
        }
    }

    @Promise("53.10")
    @Test
    void boundsAreErrorsThatSayWhatToDo() {
        assertThatIllegalArgumentException().isThrownBy(() -> new History<String, Integer>(0));
        var small = new History<String, Integer>(1);
        var call = small.begin("add");
        assertThatIllegalStateException().isThrownBy(() -> small.begin("add"))
                .withMessageContaining("record fewer");
        call.end(1);
        assertThatIllegalStateException().isThrownBy(() -> call.end(1)).withMessageContaining("add -> 1");

        var wide = new History<Access, Integer>();
        for (var number = 0; number < 30; number++) {
            wide.begin(Access.write(number));
        }
        wide.begin(Access.read()).end(99);
        assertThatIllegalStateException().isThrownBy(() -> wide.assertLinearizable(REGISTER))
                .withMessageContaining("more keys");
    }
}
