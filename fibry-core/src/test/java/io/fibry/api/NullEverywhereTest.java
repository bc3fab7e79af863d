package io.fibry.api;

import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.architecture.MainCode;
import io.fibry.message.MessageFate;
import java.util.List;
import java.util.Set;

class NullEverywhereTest extends NullChecks {
    /** Servers and what belongs to them have tests of their own. */
    private static final Set<String> PACKAGES = Set.of("io.fibry", "io.fibry.function", "io.fibry.keyed",
            "io.fibry.message", "io.fibry.time");

    @Override
    protected List<Class<?>> types() throws Exception {
        return MainCode.exportedTypes().stream().filter(type -> PACKAGES.contains(type.getPackageName()))
                .toList();
    }

    @Override
    protected Set<Class<?>> reports() {
        return Set.of(StopReport.class, MessageFate.class);
    }

    @Override
    protected int least() {
        return 200;
    }

    @Override
    protected void fill(ActorScope scope) {
        // The usual samples are those of this module.
    }
}
