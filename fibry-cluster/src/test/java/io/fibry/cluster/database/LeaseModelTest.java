package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.database.LeaseModel.Mistake;
import io.fibry.testing.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every state that the rules allow is looked at, and each mistake is found. */
class LeaseModelTest {
    /** The states that were reached, the nearest ones first, and from which other one each was. */
    private static final class Search {
        private final LeaseModel model;
        private long[] states = new long[1 << 16];
        private int[] from = new int[1 << 16];
        private int count;
        /** By hash, the states without the order of their nodes and keys; zero is none. */
        private long[] known = new long[1 << 20];
        private final Deque<Long> next = new ArrayDeque<>();
        /** The steps that were possible somewhere. */
        private final Set<String> steps = new TreeSet<>();
        private String fault = "";
        private int faultAt;

        Search(Mistake mistake) {
            model = new LeaseModel(mistake);
            add(LeaseModel.first(), -1);
            for (int i = 0; i < count && fault.isEmpty(); i++) {
                var here = i;
                model.eachStep(states[i], (what, node, state, wrong) -> {
                    steps.add(what);
                    next.add(state);
                    if (!wrong.isEmpty() && fault.isEmpty()) {
                        fault = "node " + node + " " + what + ": " + wrong;
                        faultAt = here;
                    }
                });
                while (!next.isEmpty()) {
                    add(next.remove(), i);
                }
            }
        }

        private void add(long state, int before) {
            if (!learn(model.anyOrder(state))) {
                return;
            }
            if (count == states.length) {
                states = Arrays.copyOf(states, 2 * count);
                from = Arrays.copyOf(from, 2 * count);
            }
            states[count] = state;
            from[count++] = before;
            if (2 * count > known.length) {
                var fewer = known;
                known = new long[2 * fewer.length];
                for (var each : fewer) {
                    if (each != 0) {
                        learn(each);
                    }
                }
            }
        }

        private boolean learn(long state) {
            var mask = known.length - 1;
            for (int i = (int) ((state * 0x9E3779B97F4A7C15L) >>> 32) & mask;; i = (i + 1) & mask) {
                if (known[i] == state) {
                    return false;
                }
                if (known[i] == 0) {
                    known[i] = state;
                    return true;
                }
            }
        }

        /** The states that lead to the fault. */
        String way() {
            var way = new ArrayList<String>();
            for (int i = faultAt; i >= 0; i = from[i]) {
                way.addFirst(model.text(states[i]));
            }
            way.add(fault);
            return String.join("\n", way);
        }
    }

    @Promise({"92.1", "92.2", "92.5"})
    @Test
    void noStateBreaksAPromise() {
        var search = new Search(Mistake.NONE);
        System.out.println(search.count + " states of " + LeaseModel.NODES + " nodes and " + LeaseModel.KEYS
                + " keys; " + search.steps);
        assertThat(search.fault).as(() -> search.fault.isEmpty() ? "" : search.way()).isEmpty();
        // Without these, nothing could go wrong.
        assertThat(search.steps).contains("begins a turn in its last tick", "commits without a lease",
                "is fenced", "is removed");
        assertThat(search.count).isGreaterThan(100_000);
    }

    /** Without this, the search could be blind. */
    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void eachMistakeIsFound(Mistake mistake) {
        var search = new Search(mistake);
        assertThat(search.fault).as("%s in %d states", mistake, search.count).isNotEmpty();
        System.out.println(mistake + "\n" + search.way());
    }
}
