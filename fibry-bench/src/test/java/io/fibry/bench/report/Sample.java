package io.fibry.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results whose numbers are known. */
public final class Sample {
    private Sample() {
    }

    /** Of a quiet machine. */
    public static Map<String, Object> machine() {
        var machine = new LinkedHashMap<String, Object>();
        machine.put("time", "2026-01-02T03:04:05Z");
        machine.put("cpu", "<Fast> & \"Co\" ${sections}");
        machine.put("cores", 8);
        machine.put("load", 0.5);
        return machine;
    }

    /** Of a full run. */
    public static Results results(Section... sections) {
        return new Results("full", "fibry-bench all", machine(), List.of(sections));
    }

    /** Without notes and failure. */
    public static Section section(String name, Row... rows) {
        return new Section(name, "what it does", "what it looks at", 65, "", List.of(), List.of(rows));
    }

    /** Nanoseconds of an ask. */
    public static Row row(String peer, double... values) {
        return new Row("in pairs", peer, Unit.lower("ns/ask"), Samples.of(values));
    }
}
