package io.fibry.internal.scope;

import io.fibry.dump.DumpSection;
import io.fibry.time.Cancellable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The part of a scope that has what others add to its dumps. */
abstract sealed class ShownScope extends NamingScope permits Scope {
    private final CopyOnWriteArrayList<AddedSection> sections = new CopyOnWriteArrayList<>();

    /** A section, as it was added once: a program may add the same one again, and remove one of them. */
    private static final class AddedSection implements Cancellable {
        private final List<AddedSection> all;
        private final Supplier<DumpSection> section;

        AddedSection(List<AddedSection> all, Supplier<DumpSection> section) {
            this.all = all;
            this.section = section;
        }

        DumpSection now() {
            try {
                return Objects.requireNonNull(section.get(), "a section is null");
            } catch (Throwable failure) {
                return new DumpSection("a section cannot be shown: " + textOf(failure), List.of(), List.of());
            }
        }

        private static String textOf(Throwable failure) {
            try {
                return failure.toString();
            } catch (Throwable noText) {
                return failure.getClass().getName();
            }
        }

        @Override
        public boolean cancel() {
            return all.remove(this);
        }
    }

    @Override
    public final Cancellable addToDumps(Supplier<DumpSection> section) {
        var added = new AddedSection(sections, Objects.requireNonNull(section, "section"));
        sections.add(added);
        return added;
    }

    /** Returns what others add, as it is now. What fails is shown in its place. */
    public final List<DumpSection> sections() {
        var now = new ArrayList<DumpSection>();
        for (var each : sections) {
            now.add(each.now());
        }
        return now;
    }
}
