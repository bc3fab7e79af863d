package io.fibry.durable;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Makes a journal for a test in another package. */
public final class JournalsForOthers {
    private JournalsForOthers() {
    }

    /**
     * Makes a journal in memory, which does otherwise than those of Fibry where it may.
     *
     * @return the journal
     */
    public static Journal inMemory() {
        return new ForwardingJournal() {
            private static final Comparator<String> BACKWARDS = Comparator.reverseOrder();

            @Override
            public List<String> keys(String group, String prefix, String after, int most) throws Exception {
                return page(super.keys(group, prefix, "", Integer.MAX_VALUE).stream(), after, most);
            }

            @Override
            public List<String> keysOfParked(String group, String after, int most) throws Exception {
                return page(super.keysOfParked(group, "", Integer.MAX_VALUE).stream(), after, most);
            }

            @Override
            public List<Named> names(String group, String after, int most) throws Exception {
                var all = super.names(group, "", Integer.MAX_VALUE);
                return page(all.stream().map(Named::name), after, most).stream()
                        .flatMap(name -> all.stream().filter(each -> each.name().equals(name))).toList();
            }

            private static List<String> page(Stream<String> all, String after, int most) {
                return all.filter(text -> after.isEmpty() || BACKWARDS.compare(text, after) > 0)
                        .sorted(BACKWARDS)
                        .limit(most).toList();
            }

            @Override
            public OptionalLong eraseBelow(Id id, long below, int most) throws Exception {
                return super.eraseBelow(id, below, Math.min(most, 3));
            }

            @Override
            public Follower follow(String name, Set<String> groups) throws Exception {
                try {
                    return super.follow(name, groups);
                } catch (IllegalStateException e) {
                    throw new IllegalStateException("gaps: {accounts={4711}}", e);
                }
            }
        };
    }
}
