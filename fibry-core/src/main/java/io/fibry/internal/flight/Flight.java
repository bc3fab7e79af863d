package io.fibry.internal.flight;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.report.EventRecorder;
import org.jspecify.annotations.Nullable;

/** What records for Java Flight Recorder, or nothing if this JVM does not have it. */
public interface Flight extends EventRecorder {
    /** Returns what is to observe the messages of an actor that is being made; null if nothing is. */
    @Nullable Feature observer(Cell cell);

    /**
     * Begins. The classes that use {@code jdk.jfr} are loaded only if that module is there and this one reads it. On the
     * class path it is there unless the JDK was built without it; on the module path, if a module requires it or the JVM
     * was started with {@code --add-modules jdk.jfr} or a recording.
     */
    static Flight begin() {
        var recorder = ModuleLayer.boot().findModule("jdk.jfr");
        if (recorder.isEmpty() || !Flight.class.getModule().canRead(recorder.get())) {
            return new NoFlight();
        }
        return JfrFlight.begin();
    }
}
