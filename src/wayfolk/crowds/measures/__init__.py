"""What pedestrian dynamics measures of a trajectory: density, flow, lanes, times, overlaps, level of service.

    density.grid_density(trajectory)                          persons on a square metre, cell by cell
    density.voronoi_density(trajectory, (x1, y1, x2, y2))     in one area, frame by frame
    flow.passages(trajectory, (x1, y1, x2, y2))               who crosses a line, and when
    flow.fundamental_diagram(trajectory, (x1, y1, x2, y2))    speed and flow by density
    lanes.lane_order(trajectory)                              1 if all neighbours in a lane walk the same way
    times.evacuation_time(trajectory)                         when the last has left

Lengths are metres and times are seconds. An area is a rectangle (left, top, right, bottom), the corners of a polygon, or an
`Area`.
"""
