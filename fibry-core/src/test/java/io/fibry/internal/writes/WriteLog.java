package io.fibry.internal.writes;

import java.lang.constant.ClassDesc;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.VarHandleDesc;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The writes to shared words that instrumented code has made. There is one log for all class loaders. */
public final class WriteLog {
    private static final Queue<Write> WRITES = new ConcurrentLinkedQueue<>();
    private static final Map<VarHandle, String> NAMES = new ConcurrentHashMap<>();
    private static volatile boolean isOn;

    private WriteLog() {
    }

    /** One write: by which thread, to which word, and how. */
    public record Write(Thread thread, String word, String mode) {
    }

    /** Begins to record. */
    public static void begin() {
        WRITES.clear();
        isOn = true;
    }

    /** Returns what was recorded, and records no more. */
    public static List<Write> end() {
        isOn = false;
        return List.copyOf(WRITES);
    }

    /** Called by instrumented code before it writes by a handle. */
    public static void byHandle(VarHandle handle, String mode, String site) {
        if (isOn) {
            WRITES.add(new Write(Thread.currentThread(), nameOf(handle, site), mode));
        }
    }

    /** Called by instrumented code before it writes in another way. */
    public static void other(String word, String mode) {
        if (isOn) {
            WRITES.add(new Write(Thread.currentThread(), word, mode));
        }
    }

    private static String nameOf(VarHandle handle, String site) {
        var known = NAMES.get(handle);
        if (known != null) {
            return known;
        }
        var name = handle.describeConstable()
                .filter(described -> !described.constantName().equals("_"))
                .map(described -> simpleOwner(described) + "." + described.constantName())
                .orElse(site + "[]");
        NAMES.put(handle, name);
        return name;
    }

    private static String simpleOwner(VarHandleDesc described) {
        return ((ClassDesc) described.bootstrapArgs()[0]).displayName().replace('$', '.');
    }
}
