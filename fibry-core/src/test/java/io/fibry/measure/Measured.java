package io.fibry.measure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a listener is told. */
class Measured implements MeasureListener {
    final List<MeasuredScope> opened = new CopyOnWriteArrayList<>();
    final List<MeasuredScope> closed = new CopyOnWriteArrayList<>();
    final Map<String, MeasuredGroup> groups = new ConcurrentHashMap<>();
    final List<String> announced = new CopyOnWriteArrayList<>();
    final Map<String, List<Long>> waits = new ConcurrentHashMap<>();
    final Map<String, List<Long>> runs = new ConcurrentHashMap<>();

    @Override
    public void onOpen(MeasuredScope scope) {
        opened.add(scope);
    }

    @Override
    public void onGroup(MeasuredGroup group) {
        groups.put(group.name(), group);
        announced.add(group.name());
    }

    @Override
    public void onWait(MeasuredGroup group, long nanos) {
        waits.computeIfAbsent(group.name(), any -> new CopyOnWriteArrayList<>()).add(nanos);
    }

    @Override
    public void onRun(MeasuredGroup group, long nanos) {
        runs.computeIfAbsent(group.name(), any -> new CopyOnWriteArrayList<>()).add(nanos);
    }

    @Override
    public void onClose(MeasuredScope scope) {
        closed.add(scope);
    }

    MeasuredScope scope() {
        return opened.getFirst();
    }

    /** Returns a group whose actors have just been counted. */
    MeasuredGroup load(String group) {
        scope().count();
        return scope().groups().stream().filter(each -> each.name().equals(group)).findFirst()
                .orElseThrow();
    }

    List<Long> waits(String group) {
        return waits.getOrDefault(group, List.of());
    }

    List<Long> runs(String group) {
        return runs.getOrDefault(group, List.of());
    }
}
